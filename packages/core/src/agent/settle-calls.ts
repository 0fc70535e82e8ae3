import { isHalyardError, TimeLimitError } from '@halyard/contracts';
import { asJson } from '../model/as-json.ts';
import type { JSONValue, PromptToolResult, ToolResultOutput } from '../model/model-port.ts';
import { runTool } from '../tool/run-tool.ts';
import type { Tool, ToolContext } from '../tool/tool.ts';
import { callHook } from './hooks.ts';
import type { ToolCallRecord, ToolResultRecord } from './run-result.ts';
import type { Run } from './run.ts';
import { parsedInput, type RequestedCall } from './step-reader.ts';

/** A call as far as it is known when the model has made it. */
export type PlannedCall =
  | { readonly kind: 'run'; readonly tool: Tool; readonly call: ToolCallRecord }
  /** A person must agree, or the client runs the tool: no result in this run. */
  | { readonly kind: 'wait'; readonly call: ToolCallRecord }
  | { readonly kind: 'refuse'; readonly call: ToolCallRecord; readonly error: string; readonly invalidInput: boolean };

type ToolContextOfRun = Omit<ToolContext, 'signal' | 'toolName'>;

/** Checks what the model asked for and tells the client: arguments that do not fit, a tool that is not there, a call that needs approval. */
export async function planCall(run: Run, step: number, requested: RequestedCall): Promise<PlannedCall> {
  const { toolCallId, toolName } = requested;
  const raw = parsedInput(requested.input);
  const tool = run.agent.findTool(toolName);
  if (tool === undefined) {
    const available = run.agent.modelTools.map(({ name }) => name).join(', ') || 'none';
    return refuse(
      run,
      { toolCallId, toolName, input: raw },
      `There is no tool "${toolName}"; available: ${available}`,
      false,
    );
  }
  const checked =
    typeof raw === 'string'
      ? { ok: false as const, message: 'input must be a JSON object' }
      : await tool.input.validate(raw, 'input');
  if (!checked.ok)
    return refuse(
      run,
      { toolCallId, toolName, input: raw },
      `Invalid arguments for tool "${toolName}": ${checked.message}`,
      true,
    );

  const call: ToolCallRecord = { toolCallId, toolName, input: checked.value };
  if (tool.clientSide) {
    await run.emit({ type: 'tool-call', ...call });
    return { kind: 'wait', call };
  }
  const asks =
    tool.approval !== false &&
    (await tool.needsApproval(call.input, { ...toolContext(run, step, call), toolName, signal: run.clock.signal }));
  if (!asks) {
    await run.emit({ type: 'tool-call', ...call });
    return { kind: 'run', tool, call };
  }
  if (run.delegated)
    return refuse(
      run,
      call,
      `Tool "${toolName}" needs a person's approval, which a delegated agent cannot ask for`,
      false,
    );
  const approval = run.services.approvals.request({
    ...call,
    input: raw,
    agentId: run.agent.id,
    userId: run.userId,
    conversationId: run.conversationId,
  });
  const waiting = { ...call, input: raw, ...approval };
  await run.emit({ type: 'tool-call', ...waiting });
  return { kind: 'wait', call: waiting };
}

/** Runs a call that may run, and tells client, hooks and, through the result, the model what came of it. */
export async function settleCall(
  run: Run,
  step: number,
  { tool, call }: Extract<PlannedCall, { kind: 'run' }>,
): Promise<SettledCall> {
  const { hooks, timeouts } = run.agent;
  const { logger, clock } = run.services;
  await callHook(logger, 'onToolStart', () => hooks.onToolStart?.(run.hookRun, call));
  const startedAt = clock.now();
  const recorded = await run.journal.record(`step-${step}/tool/${call.toolCallId}`, async (): Promise<RecordedCall> => {
    try {
      const context = { ...toolContext(run, step, call), signal: run.clock.signal };
      return { ok: true, output: asJson(await runTool(tool, call.input, context, tool.timeoutMs ?? timeouts.toolMs)) };
    } catch (error) {
      // An aborted run is not an outcome of the tool: it is neither recorded nor told to the model.
      run.clock.check();
      logger.warn({ err: error, tool: tool.name, toolCallId: call.toolCallId }, 'a tool failed');
      return { ok: false, error: toolErrorMessage(tool.name, error) };
    }
  });
  const durationMs = clock.now() - startedAt;
  await callHook(logger, 'onToolEnd', () =>
    hooks.onToolEnd?.(
      run.hookRun,
      recorded.ok ? { ...call, durationMs, output: recorded.output } : { ...call, durationMs, error: recorded.error },
    ),
  );
  if (!recorded.ok) {
    await run.emit({ type: 'tool-error', ...call, error: recorded.error });
    return { prompt: promptResult(call, { type: 'error-text', value: recorded.error }), result: undefined };
  }
  const { output } = recorded;
  await run.emit({ type: 'tool-result', ...call, output });
  return { prompt: promptResult(call, toolOutput(output)), result: { ...call, output } };
}

export interface SettledCall {
  /** What the model is told. */
  readonly prompt: PromptToolResult;
  readonly result: ToolResultRecord | undefined;
}

type RecordedCall = { readonly ok: true; readonly output: JSONValue } | { readonly ok: false; readonly error: string };

export function promptResult({ toolCallId, toolName }: ToolCallRecord, output: ToolResultOutput): PromptToolResult {
  return { type: 'tool-result', toolCallId, toolName, output };
}

async function refuse(run: Run, call: ToolCallRecord, error: string, invalidInput: boolean): Promise<PlannedCall> {
  await run.emit({ type: 'tool-call', ...call });
  await run.emit({ type: 'tool-error', ...call, error, ...(invalidInput && { invalidInput }) });
  return { kind: 'refuse', call, error, invalidInput };
}

function toolContext(run: Run, step: number, call: ToolCallRecord): ToolContextOfRun {
  const { user, userId, conversationId } = run;
  return {
    toolCallId: call.toolCallId,
    idempotencyKey: `${run.id}/step-${step}/${call.toolCallId}`,
    context: run.context,
    logger: run.services.logger,
    ...(user !== undefined && { user }),
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    parent: {
      agentPath: run.agentPath,
      services: run.services,
      streaming: run.streaming,
      emit: run.emit,
      addUsage: run.addUsage,
    },
  };
}

/** Message only: what a tool throws is its author's word to the model; a stack never leaves the process. */
function toolErrorMessage(toolName: string, error: unknown): string {
  if (error instanceof TimeLimitError) return error.message;
  if (isHalyardError(error) && error.kind === 'internal') return `Tool "${toolName}" failed`;
  return error instanceof Error && error.message !== '' ? error.message : `Tool "${toolName}" failed`;
}

function toolOutput(output: JSONValue): ToolResultOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output };
}
