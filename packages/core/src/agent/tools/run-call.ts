import type { JsonValue } from '@halyard/contracts';
import { abortable } from '../../async/abortable.ts';
import { toJson } from '../../json/to-json.ts';
import { withChangedInput } from '../../model/prompt/changed-input.ts';
import { plainOutput, promptOutput } from '../../model/prompt/tool-output.ts';
import type { JSONValue, PromptToolResult, ToolResultOutput } from '../../model/providers/model-port.ts';
import { loggedRunError } from '../../model/providers/provider-failure.ts';
import { runToolRecorded } from '../../tool/run-tool-recorded.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { AnsweredDelegation } from '../approvals/delegated-calls.ts';
import { expiredReason } from '../approvals/expiry-rules.ts';
import type { Publisher } from '../loop/events.ts';
import { approvalKey, type RunPart, toolKey } from '../loop/journal.ts';
import { callTool } from '../loop/nested-runs.ts';
import type { ApprovalResponse, Run, RunDependencies } from '../loop/run.ts';
import { type CallSuspension, isOfWorkflow, RunSuspended, ToolSuspension } from '../loop/suspensions.ts';
import { processError, processResult } from '../processors/tool-results.ts';
import type { ToolCallRecord, ToolCallResult, ToolResultRecord } from '../run-result.ts';
import { noUsage, type Usage, usageSince, usageSum } from '../usage.ts';
import { CallData, type DataAgentEvent } from './call-data.ts';
import { CallWaits, Delegation, waitingText } from './delegation.ts';
import { cannotRun, readApproval } from './plan-call.ts';
import { type PlannedCall, toolContext, toolErrorMessage } from './tool-call.ts';

/** The outcome of a call. */
export interface CallOutcome {
  /** As the model sees it. */
  readonly prompt: PromptToolResult;
  /** Absent for a call that failed or was denied. */
  readonly result: ToolResultRecord | undefined;
}

type RecordedCall = {
  /** Of the sub-agents that the tool ran. */
  readonly usage?: Usage;
  /** The data that the tool and its sub-agents have written for the client. */
  readonly data?: readonly DataAgentEvent[];
} & ({ readonly ok: true; readonly output: JSONValue } | { readonly ok: false; readonly error: string });

/** The calls of a step, or those to which the request of the run responds. */
export interface EndedCalls {
  readonly outcomes: readonly CallOutcome[];
  /** The calls of sub-agents that wait for approvals, so that their own call has no outcome. */
  readonly waiting: readonly ToolCallResult[];
}

/**
 * Runs the calls of a step in parallel. @throws RunSuspended when the run cannot continue without
 * one of them, after all others have ended.
 */
export async function runCalls(run: Run, step: number, calls: readonly PlannedCall[]): Promise<EndedCalls> {
  await run.conversation.writer?.untilStored();
  return endCalls(
    run,
    calls.map((plan) => () => endCall(run, step, plan)),
  );
}

/** Ends or records all other calls when one is suspended or waits. */
async function endCalls(run: Run, calls: readonly (() => Promise<CallOutcome | undefined>)[]): Promise<EndedCalls> {
  const ended = await Promise.all(
    calls.map((end) =>
      end().catch((error: unknown) => {
        if (error instanceof RunSuspended || error instanceof CallWaits) return error;
        throw error;
      }),
    ),
  );
  run.dependencies.limits.throwIfAborted();
  const suspensions = ended.flatMap((outcome) => (outcome instanceof RunSuspended ? outcome.suspensions : []));
  if (suspensions.length > 0) throw new RunSuspended(suspensions);
  return {
    outcomes: ended.flatMap((outcome) => (outcome === undefined || outcome instanceof Error ? [] : outcome)),
    waiting: ended.flatMap((outcome) => (outcome instanceof CallWaits ? outcome.calls : [])),
  };
}

async function endCall(run: Run, step: number, plan: PlannedCall): Promise<CallOutcome | undefined> {
  const { call } = plan;
  switch (plan.kind) {
    case 'wait':
      if (run.dependencies.journal.suspensions !== undefined)
        throw new RunSuspended([approvalSuspension(run.dependencies, step, plan)]);
      return undefined;
    case 'run':
      if (plan.approvalResponse !== undefined) await recordApproval(run, step, call, plan.approvalResponse);
      run.output.events.beginCall(call);
      return runCall(run, step, withChange(plan));
    case 'deny': {
      const events = run.output.events.for([approvalKey(step, call.toolCallId)]);
      await recordApproval(run, step, call, plan.approvalResponse);
      return denyCall(events, plan, plan.reason);
    }
    case 'refuse':
      return failed(call, plan.error);
    default:
      return plan satisfies never;
  }
}

function approvalSuspension(
  { agent }: RunDependencies,
  step: number,
  { call, expiry, rules }: Extract<PlannedCall, { kind: 'wait' }>,
): CallSuspension {
  return {
    key: approvalKey(step, call.toolCallId),
    kind: 'approval',
    reason: `Tool "${call.toolName}" needs approval`,
    data: toJson({ agentId: agent.id, ...call }),
    ...(expiry !== undefined && { expiry }),
    ...(rules !== undefined && { rules }),
  };
}

/** Before anything is done about the reply. */
async function recordApproval(
  run: Run,
  step: number,
  { toolCallId }: ToolCallRecord,
  response: JsonValue,
): Promise<void> {
  run.conversation.writer?.setApprovalResponse(toolCallId, readApproval(response));
  await run.dependencies.journal.record(approvalKey(step, toolCallId), async () => response);
}

/** Runs or denies the calls to which the request of this run responds, and continues sub-agents. */
export async function runDecidedCalls(run: Run): Promise<EndedCalls> {
  const { approvalResponses, delegations } = run.conversation;
  for (const { approved, call } of approvalResponses) if (approved) run.output.events.beginCall(call);
  for (const { call } of delegations) run.output.events.beginCall(call);
  return endCalls(run, [
    ...approvalResponses.map((response) => () => runDecidedCall(run, response)),
    ...delegations.map((delegation) => () => continueDelegation(run, delegation)),
  ]);
}

/** The calls of the sub-agents have their responses. Their results belong to the sub-agents. */
async function continueDelegation(run: Run, delegation: AnsweredDelegation): Promise<CallOutcome> {
  const { call, responses } = delegation;
  for (const { approved, call: asked, reason } of responses) {
    const shown = { ...asked, dynamic: true };
    if (approved) await run.output.events.emit({ type: 'tool-result', ...shown, output: { approved } });
    else await run.output.events.emit({ type: 'tool-error', ...shown, error: denialText(reason), denied: true });
  }
  return runDecidedCall(run, { call, approved: true, reason: undefined }, delegation);
}

async function runDecidedCall(
  run: Run,
  { call, approved, input, reason }: ApprovalResponse,
  delegation?: AnsweredDelegation,
): Promise<CallOutcome> {
  if (!approved) return denyCall(run.output.events, { call }, reason);
  const tool = run.dependencies.findTool(call.toolName);
  const checked = await tool?.input.validate(input ?? call.input, 'input');
  if (tool === undefined || tool.clientSide || checked?.ok !== true) {
    const error = cannotRun(call.toolName);
    await run.output.events.emit({ type: 'tool-error', ...call, error });
    return failed(call, error);
  }
  const changedInput = input === undefined ? undefined : toJson(input);
  return runCall(run, 'answers', withChange({ tool, call, input: checked.value, changedInput, delegation }));
}

/** The call that runs has the arguments of the person. The call that the model reads has its own. */
function withChange({ call, changedInput, ...runnable }: RunnableCall): RunnableCall {
  if (changedInput === undefined) return { call, ...runnable };
  return { ...runnable, call: { ...call, input: changedInput }, changedInput };
}

async function denyCall(
  events: Publisher,
  { call, providerMetadata }: Pick<PlannedCall, 'call' | 'providerMetadata'>,
  reason: string | undefined,
): Promise<CallOutcome> {
  const providerFields = providerMetadata && { providerMetadata };
  await events.emit({ type: 'tool-error', ...call, error: denialText(reason), denied: true, ...providerFields });
  return toOutcome(call, { type: 'execution-denied', ...(reason !== undefined && { reason }) });
}

function denialText(reason: string | undefined): string {
  return reason === undefined ? 'Denied' : `Denied: ${reason}`;
}

type RunnableCall = Pick<
  Extract<PlannedCall, { kind: 'run' }>,
  'call' | 'input' | 'providerMetadata' | 'tool' | 'unasked'
> & {
  readonly changedInput?: JsonValue | undefined;
  /** What its sub-agents did before they waited for approvals. */
  readonly delegation?: AnsweredDelegation | undefined;
};

/** Runs a tool, or reads its recorded result, and emits the outcome. */
async function runCall(run: Run, step: RunPart, runnable: RunnableCall): Promise<CallOutcome> {
  const { call } = runnable;
  const { journal, services } = run.dependencies;
  const { clock } = services;
  const key = toolKey(step, call.toolCallId);
  const events = run.output.events.for([key]);
  const pending = journal.suspensions?.findPending(key);
  if (pending !== undefined) throw new RunSuspended([pending]);

  await events.callHook('onToolStart', (hooks, hookRun) => hooks.onToolStart?.(hookRun, call));
  const startedAt = clock.now();
  let isReplay = true;
  const executed = await journal.record(key, async () => {
    isReplay = false;
    return executeAndProcess(run, step, key, runnable);
  });
  if (isReplay && executed.usage !== undefined) run.output.usage.add(executed.usage);
  if (isReplay && executed.data !== undefined) {
    // The message of the calling run may lack data that a sub-agent had written.
    const { emit } = run.identity.isDelegated ? run.output.events : events;
    for (const event of executed.data) await emit(event);
  }
  const { modelOutput, recorded } = await withModelOutput(run.dependencies, runnable, executed);
  const durationMs = clock.now() - startedAt;
  const result = recorded.ok ? { output: recorded.output } : { error: recorded.error };
  await events.callHook('onToolEnd', (hooks, hookRun) =>
    hooks.onToolEnd?.(hookRun, { ...call, durationMs, ...result }),
  );
  await events.emit(outcomeEvent(runnable, recorded));
  const { changedInput } = runnable;
  const shown = changedInput === undefined ? modelOutput : withChangedInput(modelOutput, changedInput);
  return toOutcome(call, shown, recorded.ok ? { ...call, output: recorded.output } : undefined);
}

async function executeAndProcess(run: Run, step: RunPart, key: string, runnable: RunnableCall): Promise<RecordedCall> {
  const data = new CallData(run, runnable.tool.name);
  try {
    const executed = await executeTool(run, step, key, runnable, data);
    await abortable(data.end(), run.dependencies.limits.signal);
    const processed = await processCall(run.dependencies, executed);
    return data.kept.length === 0 ? processed : { ...processed, data: data.kept };
  } finally {
    data.close();
  }
}

/**
 * Adds the output in its form for the model. An output that the tool cannot convert is a failure of
 * the tool.
 */
async function withModelOutput(
  dependencies: RunDependencies,
  { call: { input, toolCallId }, tool }: RunnableCall,
  recorded: RecordedCall,
): Promise<{ readonly modelOutput: ToolResultOutput; readonly recorded: RecordedCall }> {
  if (!recorded.ok) return { modelOutput: { type: 'error-text', value: recorded.error }, recorded };
  const { fetchFile, limits, logger } = dependencies;
  const { output } = recorded;
  if (tool.toModelOutput === undefined) return { modelOutput: plainOutput(output), recorded };
  try {
    const made = await abortable(Promise.resolve(tool.toModelOutput({ toolCallId, input, output })), limits.signal);
    return { modelOutput: made === undefined ? plainOutput(output) : await promptOutput(made, fetchFile), recorded };
  } catch (error) {
    limits.throwIfAborted();
    logger.warn({ err: error, tool: tool.name, toolCallId }, 'the output of a tool could not be made for the model');
    const message = toolErrorMessage(tool.name, error);
    const value = await processError(dependencies, message);
    return { modelOutput: { type: 'error-text', value }, recorded: { ok: false, error: value } };
  }
}

/**
 * The result as the output processors return it. @throws GuardrailBlockedError,
 * ProcessorFailedError
 */
async function processCall(dependencies: RunDependencies, recorded: RecordedCall): Promise<RecordedCall> {
  if (dependencies.outputProcessors.length === 0) return recorded;
  return recorded.ok
    ? { ...recorded, output: await processResult(dependencies, recorded.output) }
    : { ...recorded, error: await processError(dependencies, recorded.error) };
}

/**
 * @throws RunSuspended, CallWaits, AbortedError, TimeLimitError of the run, and the refusal of one of
 * its processors. What else the tool throws is its result.
 */
async function executeTool(
  run: Run,
  step: RunPart,
  key: string,
  { call, delegation: answered, input, providerMetadata, tool, unasked }: RunnableCall,
  data: CallData,
): Promise<RecordedCall> {
  const { toolCallId } = call;
  const { agent, journal, limits, logger, processorRun, services } = run.dependencies;
  const { recording } = run.identity;
  const { suspensions } = journal;
  const workflow = isOfWorkflow(suspensions) ? new ToolSuspension(suspensions, key, run.identity.user) : undefined;
  if (workflow?.hasTimedOut === true) return { ok: false, error: expiredReason };
  // In a workflow, the journal of the execution has the work of sub-agents.
  const delegation = suspensions === undefined ? new Delegation(run, key, call, answered) : undefined;
  const spent = usageSum(answered === undefined ? run.output.usage.add : undefined);
  const context = {
    ...toolContext(run, step, toolCallId, { addUsage: spent.add, emit: data.emit, journal: delegation?.journal }),
    writer: data.writer,
    signal: limits.signal,
    ...(workflow !== undefined && { workflow }),
  };
  const usage = (): { readonly usage: Usage } | undefined => {
    if (spent.total() === noUsage) return undefined;
    return { usage: answered === undefined ? spent.total() : usageSince(answered.usage, spent.total()) };
  };
  run.output.counter.toolCall();
  try {
    const execute = (): Promise<JSONValue> =>
      runToolRecorded(tool, input, context, tool.timeoutMs ?? agent.timeouts.toolMs, {
        recorder: recording?.recorder,
        parent: recording?.span.context,
        services,
        unasked,
        onPreliminary: async (value) => {
          const shown = await processResult(run.dependencies, value);
          const providerFields = providerMetadata && { providerMetadata };
          await run.output.events.emit({
            type: 'tool-result',
            ...call,
            output: shown,
            preliminary: true,
            ...providerFields,
          });
        },
        isFailure: (error) => workflow?.requested === undefined && !(error instanceof RunSuspended),
      });
    const output = await callTool(agent.id, execute);
    if (workflow?.requested !== undefined) throw new RunSuspended([workflow.requested]);
    return { ok: true, output, ...usage() };
  } catch (error) {
    // An abort or a suspension of the run is not a result of the tool: it is neither recorded nor
    // sent to the model.
    limits.throwIfAborted();
    if (workflow?.requested !== undefined) throw new RunSuspended([workflow.requested]);
    if (error instanceof RunSuspended) {
      if (delegation === undefined) throw error.within(key);
      throw await announceWait(run, call, await delegation.wait(error, spent.total()));
    }
    // A processor of this run has refused data or text of the tool or a sub-agent.
    if (processorRun.refusal !== undefined) throw processorRun.refusal;
    logger.warn({ ...loggedRunError(error), tool: tool.name, toolCallId }, 'a tool failed');
    return { ok: false, error: toolErrorMessage(tool.name, error), ...usage() };
  } finally {
    // That of the earlier runs was counted by them.
    if (answered !== undefined) run.output.usage.add(usageSince(answered.usage, spent.total()));
  }
}

/** The conversation shows the calls of the sub-agents, and that their own call waits. */
async function announceWait(run: Run, call: ToolCallRecord, waits: CallWaits): Promise<CallWaits> {
  const { events } = run.output;
  for (const asked of waits.calls) await events.emit({ type: 'tool-call', ...asked });
  await events.emit({ type: 'tool-result', ...call, output: waitingText, preliminary: true, waiting: true });
  return waits;
}

function outcomeEvent({ call, providerMetadata }: RunnableCall, recorded: RecordedCall): AgentEvent {
  const providerFields = providerMetadata && { providerMetadata };
  return recorded.ok
    ? { type: 'tool-result', ...call, output: recorded.output, ...providerFields }
    : { type: 'tool-error', ...call, error: recorded.error, ...providerFields };
}

function failed(call: ToolCallRecord, error: string): CallOutcome {
  return toOutcome(call, { type: 'error-text', value: error });
}

function toOutcome(
  { toolCallId, toolName }: ToolCallRecord,
  output: ToolResultOutput,
  result?: ToolResultRecord,
): CallOutcome {
  return { prompt: { type: 'tool-result', toolCallId, toolName, output }, result };
}
