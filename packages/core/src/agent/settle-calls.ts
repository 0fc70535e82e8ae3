import { isHalyardError, type JsonValue, TimeLimitError } from '@halyard/contracts';
import { toJson } from '../json/to-json.ts';
import type { JSONValue, PromptToolResult, ToolResultOutput } from '../model/model-port.ts';
import { runTool } from '../tool/run-tool.ts';
import type { Tool, ToolContext } from '../tool/tool.ts';
import type { ApprovalRequest } from './approvals.ts';
import { callHook } from './hooks.ts';
import { journalWithin } from './journal.ts';
import { parsedInput } from './parsed-input.ts';
import { RunAtRest, type RunRest } from './run-rests.ts';
import type { ToolCallRecord, ToolResultRecord } from './run-result.ts';
import type { Run } from './run.ts';
import type { RequestedCall } from './step-reader.ts';
import { ToolRest } from './tool-rest.ts';
import { noUsage, type Usage, usageSum } from './usage.ts';

/** A call as far as it is known when the model has made it; `call.input` is as the model wrote it. */
export type PlannedCall =
  /** `input` is what the tool's schema made of it. */
  | {
      readonly kind: 'run';
      readonly tool: Tool;
      readonly call: ToolCallRecord;
      readonly input: unknown;
      /** What a person answered where the run rested for it. */
      readonly answer?: JsonValue;
    }
  /** A person must agree, or the client runs the tool: no result in this run. */
  | { readonly kind: 'wait'; readonly call: ToolCallRecord }
  | { readonly kind: 'refuse'; readonly call: ToolCallRecord; readonly error: string; readonly invalidInput: boolean }
  /** A person has said no. */
  | {
      readonly kind: 'deny';
      readonly call: ToolCallRecord;
      readonly reason: string | undefined;
      readonly answer: JsonValue;
    };

type ToolContextOfRun = Omit<ToolContext, 'signal' | 'toolName'>;

/**
 * Checks what the model asked for and tells the client: arguments that do not fit, a tool that is not there, a call that needs approval.
 *
 * @param isTold whether the client knows of the call.
 */
export async function planCall(run: Run, at: string, requested: RequestedCall, isTold: boolean): Promise<PlannedCall> {
  const plan = await decide(run, at, requested);
  if (isTold) return plan;
  const { call } = plan;
  const { providerMetadata } = requested;
  const invalidInput = plan.kind === 'refuse' && plan.invalidInput;
  await run.emit({
    type: 'tool-call',
    ...call,
    ...(invalidInput && { invalidInput }),
    ...(providerMetadata && { providerMetadata }),
  });
  if (plan.kind === 'refuse') {
    await run.emit({ type: 'tool-error', ...call, error: plan.error, ...(invalidInput && { invalidInput }) });
  }
  return plan;
}

async function decide(run: Run, at: string, requested: RequestedCall): Promise<PlannedCall> {
  const { toolCallId, toolName } = requested;
  const call: ToolCallRecord = { toolCallId, toolName, input: parsedInput(requested.input) };
  const tool = run.agent.findTool(toolName);
  if (tool === undefined) {
    const available = run.agent.modelTools.map(({ name }) => name).join(', ') || 'none';
    return refusal(call, `There is no tool "${toolName}"; available: ${available}`);
  }
  try {
    const checked = await checkedInput(tool, call.input);
    if (!checked.ok) return refusal(call, `Invalid arguments for tool "${toolName}": ${checked.message}`, true);
    const asks = await asksForApproval(run, at, tool, checked.value, requested);
    const { rests } = run.journal;
    if (asks && rests !== undefined) {
      const answer = rests.answerTo(approvalKey(at, toolCallId))?.data;
      if (answer === undefined) return { kind: 'wait', call: { ...call, ...approvalOf(run, at, call, requested) } };
      const { approved, reason } = approvalAnswer(answer);
      return approved
        ? { kind: 'run', tool, call, input: checked.value, answer }
        : { kind: 'deny', call, reason, answer };
    }
    if (tool.clientSide && (run.delegated || rests !== undefined))
      return refusal(call, `Tool "${toolName}" needs a client, which this agent does not have`);
    if (asks && run.delegated)
      return refusal(call, `Tool "${toolName}" needs a person's approval, which a delegated agent cannot ask for`);
    if (asks) return { kind: 'wait', call: { ...call, ...approvalOf(run, at, call, requested) } };
    return tool.clientSide ? { kind: 'wait', call } : { kind: 'run', tool, call, input: checked.value };
  } catch (error) {
    run.clock.check();
    run.services.logger.warn({ err: error, tool: tool.name, toolCallId }, 'a tool call could not be checked');
    return refusal(call, toolErrorMessage(toolName, error));
  }
}

function refusal(call: ToolCallRecord, error: string, invalidInput = false): PlannedCall {
  return { kind: 'refuse', call, error, invalidInput };
}

function checkedInput(tool: Tool, input: unknown): ReturnType<Tool['input']['validate']> {
  if (typeof input === 'string') return { ok: false, message: 'input must be a JSON object' };
  return tool.input.validate(input, 'input');
}

/** The answer is kept with the call: a run that is repeated from its journal asks nobody again. */
async function asksForApproval(
  run: Run,
  at: string,
  tool: Tool,
  input: unknown,
  requested: RequestedCall,
): Promise<boolean> {
  if (tool.approval === false || tool.clientSide) return false;
  if (tool.approval === true || requested.approval !== undefined) return requested.approval !== false;
  const { toolCallId, toolName } = requested;
  const asks = await tool.needsApproval(input, {
    ...toolContext(run, at, toolCallId, run.addUsage),
    toolName,
    signal: run.clock.signal,
  });
  if (!asks) requested.approval = false;
  return asks;
}

function approvalOf(run: Run, at: string, call: ToolCallRecord, requested: RequestedCall): ApprovalRequest {
  const { agent, conversationId, journal, services, userId } = run;
  const known = requested.approval === false ? undefined : requested.approval;
  const place = journal.rests?.placeOf(approvalKey(at, call.toolCallId));
  const approval = known ?? services.approvals.request({ ...call, agentId: agent.id, userId, conversationId }, place);
  requested.approval = approval;
  return approval;
}

function approvalKey(at: string, toolCallId: string): string {
  return `${at}/approval/${toolCallId}`;
}

function approvalAnswer(data: JsonValue): { readonly approved: boolean; readonly reason: string | undefined } {
  const { approved, reason } = typeof data === 'object' && data !== null && 'approved' in data ? data : {};
  return { approved: approved === true, reason: typeof reason === 'string' ? reason : undefined };
}

/** The rest of a call that waits, where the run can rest. */
export function restOf(run: Run, at: string, { call }: Extract<PlannedCall, { kind: 'wait' }>): RunRest | undefined {
  if (run.journal.rests === undefined) return undefined;
  return {
    key: approvalKey(at, call.toolCallId),
    kind: 'approval',
    reason: `Tool "${call.toolName}" needs approval`,
    data: toJson({ agentId: run.agent.id, ...call }),
  };
}

/** Whether client and hooks know what came of a call. */
export function isSettledTold({ journal }: Run, at: string, plan: PlannedCall): boolean {
  const { toolCallId } = plan.call;
  switch (plan.kind) {
    case 'run':
      return journal.isTold?.(toolKey(at, toolCallId)) === true;
    case 'deny':
      return journal.isTold?.(approvalKey(at, toolCallId)) === true;
    case 'refuse':
      return true;
    case 'wait':
      return false;
    default:
      return plan satisfies never;
  }
}

/** Records what a person answered, before anything is done about it. */
export async function recordAnswer(
  run: Run,
  at: string,
  { toolCallId }: ToolCallRecord,
  answer: JsonValue,
): Promise<void> {
  await run.journal.record(approvalKey(at, toolCallId), async () => answer);
}

/** Tells client and, through the result, the model that a person said no. */
export async function denyCall(
  run: Run,
  call: ToolCallRecord,
  reason: string | undefined,
  { isTold = false }: { readonly isTold?: boolean } = {},
): Promise<SettledCall> {
  const error = reason === undefined ? 'Denied' : `Denied: ${reason}`;
  if (!isTold) await run.emit({ type: 'tool-error', ...call, error, denied: true });
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
  const { logger, clock } = run.services;
  const key = toolKey(at, call.toolCallId);
  const isTold = run.journal.isTold?.(key) === true;
  const pending = run.journal.rests?.pendingAt(key);
  if (pending !== undefined) throw new RunAtRest([pending]);
  if (!isTold) await callHook(logger, 'onToolStart', () => hooks.onToolStart?.(run.hookRun, call));
  const startedAt = clock.now();
  let live = false;
  const recorded = await run.journal.record(key, async (): Promise<RecordedCall> => {
    live = true;
    const { rests } = run.journal;
    const rest = rests === undefined ? undefined : new ToolRest(rests, key);
    const spent = usageSum();
    const addUsage: Run['addUsage'] = (usage) => {
      spent.add(usage);
      run.addUsage(usage);
    };
    try {
      const context = {
        ...toolContext(run, at, call.toolCallId, addUsage),
        signal: run.clock.signal,
        ...(rest !== undefined && { workflow: rest }),
      };
      const output = await runTool(tool, input, context, tool.timeoutMs ?? timeouts.toolMs);
      if (rest?.wish !== undefined) throw new RunAtRest([rest.wish]);
      return { ok: true, output, ...usageOf(spent.total()) };
    } catch (error) {
      // A run that was aborted, or rests, is not an outcome of the tool: it is neither recorded nor told to the model.
      run.clock.check();
      if (rest?.wish !== undefined) throw new RunAtRest([rest.wish]);
      if (error instanceof RunAtRest) throw atRestWithin(key, error);
      logger.warn({ err: error, tool: tool.name, toolCallId: call.toolCallId }, 'a tool failed');
      return { ok: false, error: toolErrorMessage(tool.name, error), ...usageOf(spent.total()) };
    }
  });
  if (!live && recorded.usage !== undefined) run.addUsage(recorded.usage);
  if (isTold) return settledCall(call, recorded);
  const durationMs = clock.now() - startedAt;
  await callHook(logger, 'onToolEnd', () =>
    hooks.onToolEnd?.(
      run.hookRun,
      recorded.ok ? { ...call, durationMs, output: recorded.output } : { ...call, durationMs, error: recorded.error },
    ),
  );
  await run.emit(
    recorded.ok
      ? { type: 'tool-result', ...call, output: recorded.output }
      : { type: 'tool-error', ...call, error: recorded.error },
  );
  return settledCall(call, recorded);
}

function toolKey(at: string, toolCallId: string): string {
  return `${at}/tool/${toolCallId}`;
}

function settledCall(call: ToolCallRecord, recorded: RecordedCall): SettledCall {
  if (!recorded.ok)
    return { prompt: promptResult(call, { type: 'error-text', value: recorded.error }), result: undefined };
  const { output } = recorded;
  return { prompt: promptResult(call, toolOutput(output)), result: { ...call, output } };
}

/** The rests of an agent that works for this one, as this run's. */
function atRestWithin(key: string, { rests }: RunAtRest): RunAtRest {
  return new RunAtRest(rests.map((rest) => ({ ...rest, key: `${key}/${rest.key}` })));
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

function toolContext(run: Run, at: string, toolCallId: string, addUsage: Run['addUsage']): ToolContextOfRun {
  const { user, userId, conversationId } = run;
  return {
    toolCallId,
    idempotencyKey: `${run.id}/${at}/${toolCallId}`,
    context: run.context,
    logger: run.services.logger,
    ...(user !== undefined && { user }),
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    parent: {
      agentPath: run.agentPath,
      services: run.services,
      journal: journalWithin(run.journal, toolKey(at, toolCallId)),
      streaming: run.streaming,
      emit: run.emit,
      addUsage,
    },
  };
}

/** Message only: what a tool throws is its author's word to the model; a stack never leaves the process. */
function toolErrorMessage(toolName: string, error: unknown): string {
  if (error instanceof TimeLimitError) return error.message;
  if (isHalyardError(error) && error.kind === 'internal') return `Tool "${toolName}" failed`;
  const message = error instanceof Error ? error.message : error;
  return typeof message === 'string' && message !== '' ? message : `Tool "${toolName}" failed`;
}

function toolOutput(output: JSONValue): ToolResultOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output };
}
