import { AbortedError } from '@halyard/contracts';
import type { AgentInput } from '../../model/message.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { RunOptions } from '../agent-options.ts';
import { AgentStream } from '../agent-stream.ts';
import type { Agent } from '../agent.ts';
import { callHook } from '../hooks.ts';
import { errorText } from './error-text.ts';
import { EventStream } from './event-stream.ts';
import { type Audience, beginRun, type BegunRun, prepareRun } from './prepare-run.ts';
import { recordFailure, recordOutcome, recordPrompt } from './record-run.ts';
import { runAgent, type RunOutcome } from './run-agent.ts';
import type { Emit, ObjectRequest, Run } from './run.ts';
import { RunSuspended } from './suspensions.ts';

const nobody: Emit = () => undefined;

/** Runs an agent for its result alone, or for the run that it works for. */
export function collectRun(
  agent: Agent,
  input: AgentInput,
  options: RunOptions,
  object: ObjectRequest | undefined,
): Promise<RunOutcome> {
  const { parent } = options;
  const emit =
    parent === undefined ? nobody : untilEnd(forwardTo(parent.emit, agent.id, [...parent.agentPath, agent.id]));
  const begun = beginRun(agent, options, operationOf(object));
  return inSpan(begun, () =>
    settle(prepareRun(agent, input, options, begun, { emit, streaming: parent?.streaming ?? false, object })),
  );
}

/** Runs an agent for its result, and tells an audience that may come and go. */
export function tellRun(
  agent: Agent,
  input: AgentInput,
  options: RunOptions,
  object: ObjectRequest | undefined,
  { emit, streaming }: Audience,
): Promise<RunOutcome> {
  const begun = beginRun(agent, options, operationOf(object));
  return inSpan(begun, () =>
    settle(prepareRun(agent, input, options, begun, { emit: untilEnd(emit), streaming, object })),
  );
}

interface StartedRun {
  readonly stream: AgentStream;
  readonly outcome: Promise<RunOutcome>;
}

/** Starts a run whose events somebody reads. The outcome's rejection is never unhandled: the events tell of it too. */
export function startRun(
  agent: Agent,
  input: AgentInput,
  options: RunOptions,
  object: ObjectRequest | undefined,
): Promise<StartedRun> {
  let stop = (): void => {};
  const events = new EventStream<AgentEvent>(weigh, () => stop());
  const emit = untilEnd((event) => events.push(event));
  const begun = beginRun(agent, options, object === undefined ? 'stream' : 'stream-object');
  return inSpan(begun, async () => {
    const run = await prepareRun(agent, input, options, begun, { emit, streaming: true, object });
    stop = () => run.limits.abort(new AbortedError());
    // Whoever stopped reading must not keep a run from stopping.
    run.limits.signal.addEventListener('abort', () => events.release(), { once: true });
    const outcome = settle(run).finally(() => events.end());
    const result = outcome.then((ended) => ended.result);
    outcome.catch(() => {});
    result.catch(() => {});
    return { stream: new AgentStream(events, result, run.messageId), outcome };
  });
}

function operationOf(object: ObjectRequest | undefined): string {
  return object === undefined ? 'text' : 'object';
}

/** All of a run is in its span, what looks at its request too: instructions, guardrails, memory. */
function inSpan<Result>({ recording }: BegunRun, work: () => Promise<Result>): Promise<Result> {
  return recording === undefined ? work() : recording.span.run(work);
}

/** Runs to the end, whichever it is: a failure is told to the client and to the hooks, and no timer stays. */
async function settle(prepared: Run | Promise<Run>): Promise<RunOutcome> {
  const run = await prepared;
  const { recording } = run;
  if (recording !== undefined) recordPrompt(run, recording);
  let outcome: RunOutcome;
  try {
    outcome = await runAgent(run);
  } catch (error) {
    const failure = await stopRun(run, error).catch((another: unknown) => another);
    if (recording !== undefined) recordFailure(run, recording, failure);
    throw failure;
  } finally {
    run.limits.stop();
  }
  const behind = recording === undefined ? undefined : recordOutcome(run, recording, outcome);
  if (behind !== undefined) await behind;
  return outcome;
}

/** Tells of a run that did not come to its end. @returns what its caller is told. */
async function stopRun(run: Run, error: unknown): Promise<unknown> {
  if (error instanceof RunSuspended) {
    // What was said until then is there to be read.
    await run.turn?.end();
    return error;
  }
  const { agent, limits, logger } = run;
  const failure = limits.signal.aborted ? limits.failure() : error;
  // Tools that still run beside the one that failed stop too.
  limits.abort(failure);
  // Who has taken the run over writes the same messages, and knows better.
  if (run.journal.isStale?.() === true) run.turn?.giveUp();
  else if (run.turn !== undefined) await run.turn.endFailed();
  if (failure instanceof AbortedError) void run.emit({ type: 'abort' });
  else {
    logger.error({ err: failure }, 'an agent run failed');
    void run.emit({ type: 'error', error: errorText(failure) });
  }
  await callHook(logger, 'onError', () => agent.hooks.onError?.(run.hookRun, failure));
  return failure;
}

function weigh(event: AgentEvent): number {
  return 'delta' in event ? event.delta.length : 0;
}

/** Nothing follows the end of a run: agents that still stop when it was aborted are not heard any more. */
function untilEnd(emit: Emit): Emit {
  let ended = false;
  return (event) => {
    if (ended) return undefined;
    if (event.agentId === undefined)
      ended = event.type === 'finish' || event.type === 'abort' || event.type === 'error';
    return emit(event);
  };
}

/** Events of a delegated run, marked with who speaks; those of its own sub-agents are marked already. */
function forwardTo(emit: Emit, agentId: string, agentPath: readonly string[]): Emit {
  return (event) => emit(event.agentId === undefined ? { ...event, agentId, agentPath } : event);
}
