import { ConfigurationError, HalyardError, InvalidInputError } from '@halyard/contracts';
import type { AccessLevel, Agent, AgentStream, JsonSchema, RunResult, TextResult, Tool } from '@halyard/core';
import {
  acceptToolInput,
  defaultTimeouts,
  type McpExchange,
  type McpTool,
  type McpToolKind,
  outputForModel,
  type OutputForModel,
  runToolRecorded,
  type WorkflowDefinition,
} from '@halyard/core/server';
import { agentProgress, executionProgress, type Progress } from './progress.ts';

/** One call of a tool. */
export interface ServedCall extends McpExchange {
  /** Aborts when the client disconnects or cancels. */
  readonly signal: AbortSignal;
  /** Undefined for a client that did not ask for it. */
  readonly progress: Progress | undefined;
}

/** The JSON that a call returns. */
export interface ServedResult {
  readonly output: unknown;
  /** The output in another form, with its files. */
  readonly forModel?: OutputForModel;
}

/** A tool, an agent or a workflow as a tool for MCP clients. */
export interface ServedTool {
  readonly kind: McpToolKind;
  /** The callers that may call it. */
  readonly access: AccessLevel;
  readonly tool: McpTool;
  /**
   * Whether lists contain it. A tool whose calls all need an approval cannot run: nobody can
   * approve over MCP.
   */
  readonly isListed: boolean;
  run(input: Readonly<Record<string, unknown>>, call: ServedCall): Promise<ServedResult>;
}

export function serveTool(tool: Tool): ServedTool {
  const { approval, clientSide, description, input: inputSchema, name, timeoutMs } = tool;
  if (clientSide) throw new ConfigurationError(`Tool "${name}" cannot be served over MCP: the client runs it`);
  return {
    kind: 'tool',
    access: tool.access,
    isListed: approval !== true,
    tool: {
      name,
      description,
      inputSchema: { type: 'object', ...inputSchema.jsonSchema },
      outputSchema: objectSchema(tool.output?.jsonSchema),
    },
    run: async (sent, { progress, services, signal, traceParent, user, userId }) => {
      const input = await acceptToolInput(tool, sent, 'input');
      const id = services.ids.next();
      const context = {
        toolCallId: id,
        idempotencyKey: id,
        context: {},
        logger: services.logger,
        signal,
        ...(user !== undefined && { user }),
        ...(userId !== undefined && { userId }),
      };
      const asks = approval === 'asks' && (await tool.needsApproval(input, { ...context, toolName: name }));
      if (approval === true || asks) throw new NeedsApprovalError(`Tool "${name}"`);
      const output = await runToolRecorded(tool, input, context, timeoutMs ?? defaultTimeouts.toolMs, {
        recorder: services.recorder,
        services,
        traceParent,
        ...(progress !== undefined && {
          onPreliminary: (value) => progress(typeof value === 'string' ? value : JSON.stringify(value)),
        }),
      });
      if (tool.toModelOutput === undefined) return { output };
      return { output, forModel: await outputForModel(tool, { toolCallId: id, input, output }) };
    },
  };
}

export function serveAgent(agent: Agent): ServedTool {
  const { description, input, name } = agent.toTool();
  return {
    kind: 'agent',
    access: agent.access,
    isListed: true,
    tool: { name, description, inputSchema: input.jsonSchema, outputSchema: null },
    run: async ({ task }, { progress, services, signal, traceParent, user, userId }) => {
      if (typeof task !== 'string') throw new InvalidInputError('input/task must be string');
      const options = {
        operation: 'text',
        services,
        signal,
        ...(traceParent !== undefined && { traceParent }),
        ...(user !== undefined && { user }),
        ...(userId !== undefined && { userId }),
      };
      const { fullText, toolCalls } =
        progress === undefined
          ? await agent.generateText(task, options)
          : await followedRun(await agent.streamText(task, options), progress);
      const waiting = toolCalls.find(({ approvalId }) => approvalId !== undefined);
      if (waiting !== undefined) throw new NeedsApprovalError(`Tool "${waiting.toolName}" of agent "${agent.name}"`);
      return { output: fullText };
    },
  };
}

/** An input that is not an object becomes the argument `input`. */
export function serveWorkflow(workflow: WorkflowDefinition): ServedTool {
  const { id, name, purpose } = workflow;
  const schema = workflow.input?.jsonSchema;
  const isWrapped = schema !== undefined && objectSchema(schema) === null;
  const open: JsonSchema = { type: 'object' };
  return {
    kind: 'workflow',
    access: workflow.access,
    isListed: true,
    tool: {
      name: `run_${id.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, 64),
      description: `Runs the workflow "${name}" and waits until it is idle. ${purpose}`.trim(),
      inputSchema: isWrapped
        ? { type: 'object', properties: { input: schema }, required: ['input'] }
        : (schema ?? open),
      outputSchema: null,
    },
    run: async (sent, call) => {
      const input = isWrapped ? sent['input'] : sent;
      const run = await executeFollowed(id, input, call);
      if (run.status === 'error') throw new WorkflowEndedError(name, run);
      return { output: run };
    },
  };
}

/** Reports the progress of a run until it ends. @throws the errors of the run. */
async function followedRun(stream: AgentStream, progress: Progress): Promise<TextResult> {
  for await (const event of stream) {
    const message = agentProgress(event);
    if (message !== undefined) await progress(message);
  }
  return stream.result;
}

/** Executes a workflow, and reports its progress to a client that asks for it. */
async function executeFollowed(workflowId: string, input: unknown, call: ServedCall): Promise<RunResult> {
  const { progress, signal, subject, traceParent, user, userId, workflows } = call;
  const stopped = new AbortController();
  let followed: Promise<void> | undefined;
  const follow = async (executionId: string, report: Progress): Promise<void> => {
    const owner = userId === undefined ? 'anyone' : { user: userId };
    for await (const event of await workflows.follow({ workflowId, executionId, owner }, 0, stopped.signal)) {
      const message = executionProgress(event);
      if (message !== undefined) await report(message);
    }
  };
  const onBegun = (executionId: string): void => {
    // The result of the call tells how the execution ends, whether or not it could be followed.
    if (progress !== undefined) followed = follow(executionId, progress).catch(() => {});
  };
  try {
    const run = await workflows.execute(workflowId, input, { user, userId, subject, traceParent }, { signal, onBegun });
    if (run.status !== 'running') await followed;
    return run;
  } finally {
    stopped.abort();
  }
}

function objectSchema(schema: JsonSchema | undefined): JsonSchema | null {
  return schema?.['type'] === 'object' ? schema : null;
}

class NeedsApprovalError extends InvalidInputError {
  constructor(what: string) {
    super(`${what} needs a person's approval, which cannot be given over MCP`, { code: 'TOOL_NEEDS_APPROVAL' });
  }
}

class WorkflowEndedError extends HalyardError {
  constructor(name: string, { error, executionId }: RunResult) {
    super('failed', 'WORKFLOW_FAILED', `Workflow "${name}" failed, execution ${executionId}: ${error?.message ?? ''}`);
  }
}
