import type { JSONValue, PromptToolResult, ToolResultOutput } from '../../model/model-port.ts';
import { runToolRecorded } from '../../tool/run-tool-recorded.ts';
import type { AgentEvent } from '../agent-event.ts';
import { callHook } from '../hooks.ts';
import type { ToolCallRecord, ToolResultRecord } from '../run-result.ts';
import { noUsage, type Usage, usageSum } from '../usage.ts';
import { approvalKey, type PlannedCall } from './plan-call.ts';
import type { Run } from './run.ts';
import { RunSuspended, ToolSuspension } from './suspensions.ts';
import { toolContext, toolErrorMessage, toolKey } from './tool-call.ts';

/** Whether client and hooks know what came of a call. */
export function isSettledTold({ journal }: Run, at: string, plan: PlannedCall): boolean {
  const { toolCallId } = plan.call;
  switch (plan.kind) {
    case 'run':
      return journal.isDelivered?.(toolKey(at, toolCallId)) === true;
    case 'deny':
      return journal.isDelivered?.(approvalKey(at, toolCallId)) === true;
    case 'refuse':
      return true;
    case 'wait':
      return false;
    default:
      return plan satisfies never;
  }
}

/** Tells client and, through the result, the model that a person said no. */
export async function denyCall(
  run: Run,
  call: ToolCallRecord,
  reason: string | undefined,
  { isTold = false }: { readonly isTold?: boolean } = {},
): Promise<SettledCall> {
  const error = reason === undefined ? 'Denied' : `Denied: ${reason}`;
  await (isTold ? run.recall : run.emit)({ type: 'tool-error', ...call, error, denied: true });
  return {
    prompt: promptResult(call, { type: 'execution-denied', ...(reason !== undefined && { reason }) }),
    result: undefined,
  };
}

/**
 * Runs a call that may run, and tells client, hooks and, through the result, the model what came of it.
 *
 * @param at the part of the run that the call belongs to, for its key in the journal.
 */
export async function settleCall(
  run: Run,
  at: string,
  { tool, call, input }: Extract<PlannedCall, { kind: 'run' }>,
): Promise<SettledCall> {
  const { hooks, timeouts } = run.agent;
  const { logger } = run;
  const { clock } = run.services;
  const key = toolKey(at, call.toolCallId);
  const isTold = run.journal.isDelivered?.(key) === true;
  const pending = run.journal.suspensions?.findPending(key);
  if (pending !== undefined) throw new RunSuspended([pending]);
  if (!isTold) await callHook(logger, 'onToolStart', () => hooks.onToolStart?.(run.hookRun, call));
  const startedAt = clock.now();
  let live = false;
  const recorded = await run.journal.record(key, async (): Promise<RecordedCall> => {
    live = true;
    const { suspensions } = run.journal;
    const workflow = suspensions === undefined ? undefined : new ToolSuspension(suspensions, key);
    const spent = usageSum();
    const addUsage: Run['addUsage'] = (usage) => {
      spent.add(usage);
      run.addUsage(usage);
    };
    try {
      const context = {
        ...toolContext(run, at, call.toolCallId, addUsage),
        signal: run.limits.signal,
        ...(workflow !== undefined && { workflow }),
      };
      const output = await runToolRecorded(tool, input, context, tool.timeoutMs ?? timeouts.toolMs, {
        recorder: run.recording?.recorder,
        parent: run.recording?.span.context,
        isFailure: (error) => workflow?.requested === undefined && !(error instanceof RunSuspended),
      });
      if (workflow?.requested !== undefined) throw new RunSuspended([workflow.requested]);
      return { ok: true, output, ...usageOf(spent.total()) };
    } catch (error) {
      // An abort or a suspension of the run is not a result of the tool: it is neither recorded nor sent to the model.
      run.limits.throwIfAborted();
      if (workflow?.requested !== undefined) throw new RunSuspended([workflow.requested]);
      if (error instanceof RunSuspended) throw error.within(key);
      logger.warn({ err: error, tool: tool.name, toolCallId: call.toolCallId }, 'a tool failed');
      return { ok: false, error: toolErrorMessage(tool.name, error), ...usageOf(spent.total()) };
    }
  });
  if (!live && recorded.usage !== undefined) run.addUsage(recorded.usage);
  if (isTold) {
    void run.recall(outcomeEvent(call, recorded));
    return settledCall(call, recorded);
  }
  const durationMs = clock.now() - startedAt;
  await callHook(logger, 'onToolEnd', () =>
    hooks.onToolEnd?.(
      run.hookRun,
      recorded.ok ? { ...call, durationMs, output: recorded.output } : { ...call, durationMs, error: recorded.error },
    ),
  );
  await run.emit(outcomeEvent(call, recorded));
  return settledCall(call, recorded);
}

function outcomeEvent(call: ToolCallRecord, recorded: RecordedCall): AgentEvent {
  return recorded.ok
    ? { type: 'tool-result', ...call, output: recorded.output }
    : { type: 'tool-error', ...call, error: recorded.error };
}

function settledCall(call: ToolCallRecord, recorded: RecordedCall): SettledCall {
  if (!recorded.ok)
    return { prompt: promptResult(call, { type: 'error-text', value: recorded.error }), result: undefined };
  const { output } = recorded;
  return { prompt: promptResult(call, toolOutput(output)), result: { ...call, output } };
}

export interface SettledCall {
  /** What the model is told. */
  readonly prompt: PromptToolResult;
  readonly result: ToolResultRecord | undefined;
}

type RecordedCall = {
  /** What agents that worked for the tool have cost. */
  readonly usage?: Usage;
} & ({ readonly ok: true; readonly output: JSONValue } | { readonly ok: false; readonly error: string });

function usageOf(usage: Usage): { readonly usage: Usage } | undefined {
  return usage === noUsage ? undefined : { usage };
}

export function promptResult({ toolCallId, toolName }: ToolCallRecord, output: ToolResultOutput): PromptToolResult {
  return { type: 'tool-result', toolCallId, toolName, output };
}

function toolOutput(output: JSONValue): ToolResultOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output };
}
