import { setTimeout as delay } from 'node:timers/promises';
import {
  type AppendOutcome,
  type Clock,
  monotonicTime,
  type NewStream,
  type Owner,
  type StreamKey,
  type StreamStore,
} from '@halyard/contracts';

const idPattern = /^answer\.(.+?)\.(\d+)(?:\.\d+)?$/;
/** How often a runner asks whether the reply that took its place in the conversation has ended. */
const busyPollMs = 250;

/** Where a caller finds a chat: an agent, and a conversation that the caller may read. */
export interface ChatStreamKey extends StreamKey {
  readonly owner: Owner;
}

/**
 * Each runner of a durable reply writes a stream of its own, which begins with the first chunk of
 * the reply.
 */
export interface ChatRunner {
  /** Of the execution that is the reply. */
  readonly executionId: string;
  /** Of the claim: each runner has a greater one. */
  readonly epoch: number;
  /** How many streams the runner has begun before. */
  readonly attempt: number;
}

/** The id of the stream that a runner writes. */
export function chatStreamId({ attempt, epoch, executionId }: ChatRunner): string {
  return `answer.${executionId}.${epoch}${attempt === 0 ? '' : `.${attempt}`}`;
}

/**
 * The execution whose runner writes this stream; undefined for a stream that is not of a durable
 * reply.
 */
export function executionOfStream(streamId: string): string | undefined {
  return idPattern.exec(streamId)?.[1];
}

/** Whether a stream belongs to a runner of the same reply, and not to a later one. */
function isReplacedBy({ epoch, executionId }: ChatRunner, streamId: string): boolean {
  const [, execution, streamEpoch] = idPattern.exec(streamId) ?? [];
  return execution === executionId && Number(streamEpoch) <= epoch;
}

export interface OpenChatStreamOptions {
  readonly store: StreamStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Ends the wait for another reply of the conversation. */
  readonly signal: AbortSignal;
  /**
   * Whether the first stream of the reply has just begun, with the request: then it need not be
   * begun again.
   */
  readonly hasBegun: boolean;
  /** Makes each call to the store, again when that fails. */
  readonly retry: <Result>(call: () => Promise<Result>) => Promise<Result>;
}

const begun = { kind: 'begun' } as const;

interface OpenedStream {
  readonly id: string;
  readonly attempt: number;
  readonly leasedAt: number;
  readonly isStopRequested: boolean;
}

/**
 * Begins the stream of a runner, and ends that of a runner before it, which can then write no more.
 * Waits while another reply has the conversation, or a later runner of this one: then the execution
 * was lost, and the signal will tell.
 *
 * @returns the attempt whose stream it is, when its lease was requested, in monotonic time, and
 * whether a user had asked the runner before to stop.
 */
export async function openChatStream(
  runner: ChatRunner,
  streamKey: Omit<NewStream, 'id'>,
  { clock, hasBegun, leaseMs, retry, signal, store }: OpenChatStreamOptions,
): Promise<OpenedStream> {
  let isStopRequested = false;
  let { attempt } = runner;
  const renew = (id: string): Promise<AppendOutcome> =>
    retry(() => store.append(id, { after: 0, chunks: [] }, leaseMs));
  for (;;) {
    signal.throwIfAborted();
    const id = chatStreamId({ ...runner, attempt });
    const isBegun = hasBegun && runner.epoch === 1 && attempt === 0;
    const outcome = isBegun ? begun : await retry(() => store.begin({ id, ...streamKey }, leaseMs));
    if (outcome.kind === 'begun') {
      const leasedAt = monotonicTime(clock);
      const renewed = await renew(id);
      if (renewed !== 'lost')
        return { id, attempt, leasedAt, isStopRequested: isStopRequested || renewed === 'stop-requested' };
      // It began before this runner could write it, and has been lost since.
      attempt += 1;
    } else if (isReplacedBy(runner, outcome.live.id)) {
      const renewed = await renew(outcome.live.id);
      isStopRequested ||= renewed === 'stop-requested';
      await retry(() => store.end(outcome.live.id, { after: 0, chunks: [] }));
    } else await delay(busyPollMs, undefined, { signal });
  }
}
