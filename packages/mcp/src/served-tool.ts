import { ConfigurationError, HalyardError, InvalidInputError } from '@halyard/contracts';
import {
  acceptToolInput,
  type AccessLevel,
  type Agent,
  defaultTimeouts,
  type JsonSchema,
  type McpExchange,
  type McpTool,
  type McpToolKind,
  type RunResult,
  runToolRecorded,
  type Tool,
  type WorkflowDefinition,
} from '@halyard/core';

/** One call of a tool. */
export interface ServedCall extends McpExchange {
  /** Aborts when the client disconnects or cancels. */
  readonly signal: AbortSignal;
}

/** A tool, an agent or a workflow as a tool for MCP clients. */
export interface ServedTool {
  readonly kind: McpToolKind;
  /** Who may call it. */
  readonly access: AccessLevel;
  readonly tool: McpTool;
  /** Returns JSON. */
  run(input: Readonly<Record<string, unknown>>, call: ServedCall): Promise<unknown>;
}

export function serveTool(tool: Tool): ServedTool {
  const { approval, clientSide, description, input: inputSchema, name, output, timeoutMs } = tool;
  if (clientSide) throw new ConfigurationError(`Tool "${name}" cannot be served over MCP: the client runs it`);
  return {
    kind: 'tool',
    access: tool.access,
    tool: {
      name,
      description,
      inputSchema: { type: 'object', ...inputSchema.jsonSchema },
      outputSchema: objectSchema(output?.jsonSchema),
    },
    run: async (sent, { services, signal, traceParent, user, userId }) => {
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
      return runToolRecorded(tool, input, context, timeoutMs ?? defaultTimeouts.toolMs, {
        recorder: services.recorder,
        services,
        traceParent,
      });
    },
  };
}

export function serveAgent(agent: Agent): ServedTool {
  const { description, input, name } = agent.toTool();
  return {
    kind: 'agent',
    access: agent.access,
    tool: { name, description, inputSchema: input.jsonSchema, outputSchema: null },
    run: async ({ task }, { services, signal, traceParent, user, userId }) => {
      if (typeof task !== 'string') throw new InvalidInputError('input/task must be string');
      const { fullText, toolCalls } = await agent.generateText(task, {
        services,
        signal,
        ...(traceParent !== undefined && { traceParent }),
        ...(user !== undefined && { user }),
        ...(userId !== undefined && { userId }),
      });
      const waiting = toolCalls.find(({ approvalId }) => approvalId !== undefined);
      if (waiting !== undefined) throw new NeedsApprovalError(`Tool "${waiting.toolName}" of agent "${agent.name}"`);
      return fullText;
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
    tool: {
      name: `run_${id.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, 64),
      description: `Runs the workflow "${name}" and waits until it is idle. ${purpose}`.trim(),
      inputSchema: isWrapped
        ? { type: 'object', properties: { input: schema }, required: ['input'] }
        : (schema ?? open),
      outputSchema: null,
    },
    run: async (sent, { signal, subject, traceParent, user, userId, workflows }) => {
      const input = isWrapped ? sent['input'] : sent;
      const run = await workflows.execute(id, input, { user, userId, subject, traceParent }, { signal });
      if (run.status === 'error') throw new WorkflowEndedError(name, run);
      return run;
    },
  };
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
