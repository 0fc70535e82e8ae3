import { AbortedError, outcomeOfError, StoppedError } from '@halyard/contracts';
import type { AgentInput } from '../../model/messages/message.ts';
import { loggedRunError } from '../../model/providers/provider-failure.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { RunContext, InternalRunOptions } from '../agent-options.ts';
import type { AgentServices } from '../agent-services.ts';
import { AgentStream } from '../agent-stream.ts';
import type { Agent } from '../agent.ts';
import type { TextResult } from '../run-result.ts';
import { endOfError, endOfFailed, RunCounter } from './count-run.ts';
import { EventStream } from './event-stream.ts';
import { errorText } from './events.ts';
import { noJournal } from './journal.ts';
import { runSteps } from './loop.ts';
import { checkDepth } from './nested-runs.ts';
import { prepare, type EventConsumer } from './prepare.ts';
import { beginRecording, endRefused, recordFailure, recordOutcome, recordPrompt } from './record-run.ts';
import type { ObjectRequest, ParentRun, Run } from './run.ts';
import { RunSuspended } from './suspensions.ts';
import { withLock } from './with-lock.ts';

export interface StartOptions {
  /** The name under which the run is recorded, unless its options give another one. */
  readonly operation: string;
  /** Structured output. */
  readonly object?: ObjectRequest | undefined;
  /** Consumes the events. Default: the parent run, if there is one. */
  readonly output?: EventConsumer | undefined;
}

export interface StartedRun {
  readonly run: Run;
  /** Rejects with the error of the run. */
  readonly result: Promise<TextResult>;
}

/**
 * Starts a run. Resolves when its request is accepted.
 *
 * @throws InvalidInputError, GuardrailBlockedError, TimeLimitError, AbortedError, and errors of the
 * agent's storage and model choice.
 */
export async function startRun(
  agent: Agent,
  input: AgentInput,
  options: InternalRunOptions,
  { object, operation, output }: StartOptions,
): Promise<StartedRun> {
  checkDepth(agent);
  const services = toServices(agent, options.services);
  const context = runContext(options);
  const startedAt = services.clock.now();
  const operationName = options.operation ?? operation;
  const recording = beginRecording(agent, options, context, services, operationName, startedAt);
  const counter = new RunCounter(agent, operationName, services, startedAt);
  // Recorded, since idempotency keys and message ids contain it. It is stored while the run waits
  // for its conversation.
  const id = (options.journal ?? noJournal).record('run', async () => services.ids.next());
  id.catch(() => {});
  const start = async (hasLock: boolean): Promise<StartedRun> => {
    const run = await prepare(agent, input, options, {
      id,
      context,
      hasLock,
      services,
      recording,
      counter,
      object,
      output: output ?? (options.parent === undefined ? noOutput : outputTo(options.parent, agent)),
    });
    return { run, result: execute(run) };
  };
  const startWithLock = async (): Promise<StartedRun> => {
    let isRefused = true;
    try {
      return await withLock({ agent, context, options, services }, (hasLock) => {
        // From here on, `prepare` records a refusal.
        isRefused = false;
        return start(hasLock);
      });
    } catch (error) {
      if (recording !== undefined && isRefused) endRefused(recording, input, error);
      counter.ended(endOfError(error));
      throw error;
    }
  };
  // Instructions, guardrails and memory work in the span of the run, too.
  return recording === undefined ? startWithLock() : recording.span.run(startWithLock);
}

/**
 * {@link startRun} with the events as a stream, which must be read. The rejection of `result` is
 * never unhandled: it is an event, too.
 */
export async function streamRun(
  agent: Agent,
  input: AgentInput,
  options: InternalRunOptions,
  { object, operation }: StartOptions,
): Promise<AgentStream> {
  let abort = (): void => {};
  const events = new EventStream<AgentEvent>(weigh, () => abort());
  const output: EventConsumer = { emit: (event) => events.push(event), isStreaming: () => true };
  const { result, run } = await startRun(agent, input, options, { object, operation, output });
  const { limits } = run.dependencies;
  const { signal } = limits;
  abort = () => limits.abort(new AbortedError());
  // A consumer that stopped reading must not keep the run from being aborted.
  if (signal.aborted) events.release();
  else signal.addEventListener('abort', () => events.release(), { once: true });
  const ended = result.finally(() => events.end());
  ended.catch(() => {});
  return new AgentStream(events, ended, run.identity.messageId, input);
}

/** The recorder, the hooks and the client learn how the run ends, however it does. */
async function execute(run: Run): Promise<TextResult> {
  const { limits, services } = run.dependencies;
  const { recording } = run.identity;
  const { counter } = run.output;
  if (recording !== undefined) recordPrompt(run.conversation, recording);
  let result: TextResult;
  try {
    result = await runSteps(run);
  } catch (error) {
    const failure = await endFailed(run, error).catch((another: unknown) => another);
    if (recording !== undefined) recordFailure(run, recording, failure);
    counter.ended(endOfFailed(run.dependencies, failure));
    throw failure;
  } finally {
    limits.stop();
  }
  if (recording === undefined && services.metrics === undefined) return result;
  try {
    counter.ended((await recordOutcome(run, result)) ? 'failed' : 'completed');
  } catch (error) {
    counter.ended('failed');
    throw error;
  }
  return result;
}

/** @returns the error that the caller of the run receives. */
async function endFailed({ conversation, dependencies, output }: Run, error: unknown): Promise<unknown> {
  const { journal, limits, logger } = dependencies;
  const { events } = output;
  const { writer } = conversation;
  if (error instanceof RunSuspended) {
    // The text so far can be read while the run is suspended.
    await writer?.end();
    return error;
  }
  const failure = limits.signal.aborted ? limits.failure() : error;
  // Stops the tools that run in parallel with a failed one.
  limits.abort(failure);
  // The runner that took the run over writes the same messages, and its state is newer.
  if (journal.isStale?.() === true) writer?.stop();
  else {
    events.endCalls();
    await writer?.endFailed({ isStopped: failure instanceof StoppedError });
  }
  if (failure instanceof AbortedError) void events.emit({ type: 'abort' });
  else {
    if (outcomeOfError(failure) === 'refused') logger.info(loggedRunError(failure), 'an agent run was refused');
    else logger.error(loggedRunError(failure), 'an agent run failed');
    void events.emit({ type: 'error', error: errorText(failure) });
  }
  await events.callHook('onError', (hooks, hookRun) => hooks.onError?.(hookRun, failure));
  return failure;
}

function runContext({ context = {}, conversationId, memory, user, userId }: InternalRunOptions): RunContext {
  return {
    context,
    user,
    userId: memory?.userId ?? userId,
    conversationId: memory?.conversationId ?? conversationId,
  };
}

function toServices(agent: Agent, given: Partial<AgentServices> | undefined): AgentServices {
  if (given === undefined) return agent.services;
  return isComplete(given) ? given : { ...agent.services, ...given };
}

/** As a server's are: default services are not created then. */
function isComplete(services: Partial<AgentServices>): services is AgentServices {
  const { approvals, clock, downloadFile, ids, logger } = services;
  return (approvals && clock && downloadFile && ids && logger) !== undefined;
}

const noOutput: EventConsumer = { emit: () => undefined, isStreaming: () => false };

/**
 * Marks the events with the agent that emits them; those of its own sub-agents are marked already.
 */
function outputTo(parent: ParentRun, { id: agentId }: Agent): EventConsumer {
  const agentPath = [...parent.agentPath, agentId];
  const parentToolCallId = parent.toolCallId;
  return {
    emit: (event) =>
      parent.emit(event.agentId === undefined ? { ...event, agentId, agentPath, parentToolCallId } : event),
    isStreaming: () => parent.streaming,
  };
}

/** Texts count by their length. */
function weigh(event: AgentEvent): number {
  return 'delta' in event ? event.delta.length : 0;
}
