import type { BusyPolicy } from '../agent-options.ts';
import { type RunSuspensions, suspensionsWithin } from './suspensions.ts';

/**
 * Records the results of a run's model calls and tool calls, so that the same run can be continued
 * without repeating them.
 *
 * Keys are stable for one input: `run`, `message` (the stored message that the run continues),
 * `answers`, `answers/tool/<toolCallId>`, `step-0/model`, `step-0/tool/<toolCallId>`. Keys of a
 * sub-agent's run start with the key of the call that started it. Values are JSON. A failed model
 * call is not recorded. A failed tool call is, since the model has seen its error. A recorded call
 * is emitted again, as one batch of events, unless it was delivered before.
 */
export interface AgentJournal {
  /**
   * Returns the value recorded under `key`; otherwise calls `work` and records its result before it
   * returns.
   */
  record<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
  /**
   * Whether the events of the call under `key` were delivered by an earlier attempt: clients and
   * hooks do not receive them again. Absent: never.
   */
  isDelivered?(key: string): boolean;
  /**
   * `true`: the events of a delivered call are emitted again, for a consumer that starts from the
   * beginning. Hooks are not called again.
   */
  readonly repeatsEvents?: boolean;
  /**
   * How the run waits for the lock of its conversation. Absent: it takes none, because the code
   * that contains it may hold it.
   */
  readonly busyPolicy?: BusyPolicy;
  /**
   * How long the run waits for the lock; with the policy `reject`, a second at most. `Infinity`:
   * until it is free. Absent: as long as other runs.
   */
  readonly lockWaitMs?: number;
  /**
   * Whether this run was taken over or dropped, so that it must not write any more. Absent: never.
   */
  isStale?(): boolean;
  /**
   * Repeats a call to the storage until it replies. Absent: once. @throws the refusal of the
   * storage; any error when the run is stale.
   */
  retryStorage?<Result>(call: () => Promise<Result>): Promise<Result>;
  /**
   * Called when the run has lost the lock, before it is aborted. Absent: it ends as if its caller
   * had aborted it.
   */
  onLockLost?(): void;
  /** Present where the run can suspend and be continued. */
  readonly suspensions?: RunSuspensions;
}

export const noJournal: AgentJournal = { record: (_key, work) => work() };

/** Makes a call to the storage for a run, and again where its journal does. */
export function storageCall<Result>(journal: AgentJournal | undefined, call: () => Promise<Result>): Promise<Result> {
  return journal?.retryStorage === undefined ? call() : journal.retryStorage(call);
}

/** The journal of a sub-agent's run that was started by the call `prefix`. */
export function journalWithin(journal: AgentJournal, prefix: string): AgentJournal {
  if (journal === noJournal) return journal;
  return {
    record: (key, work) => journal.record(`${prefix}/${key}`, work),
    isDelivered: (key) => journal.isDelivered?.(`${prefix}/${key}`) === true,
    ...(journal.repeatsEvents === true && { repeatsEvents: true }),
    ...(journal.suspensions !== undefined && { suspensions: suspensionsWithin(journal.suspensions, prefix) }),
  };
}

/** A step, or the calls that were approved before the first step. */
export type RunPart = number | 'answers';

export function keyPrefix(part: RunPart): string {
  return part === 'answers' ? part : `step-${part}`;
}

export function modelKey(step: number): string {
  return `${keyPrefix(step)}/model`;
}

export function toolKey(part: RunPart, toolCallId: string): string {
  return `${keyPrefix(part)}/tool/${toolCallId}`;
}

/** Key of the response to an approval request. */
export function approvalKey(step: number, toolCallId: string): string {
  return `${keyPrefix(step)}/approval/${toolCallId}`;
}
