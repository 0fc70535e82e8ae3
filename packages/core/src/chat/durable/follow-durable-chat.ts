import {
  type ExecutionLog,
  isHalyardError,
  type JsonValue,
  type StreamStore,
  UnavailableError,
} from '@halyard/contracts';
import type { SharedInterval } from '../../async/shared-interval.ts';
import type { UIMessageChunk } from '../../model/messages/message.ts';
import { followStream } from '../stream/follow-stream.ts';
import { readAgain, type ReadAgainOptions } from '../stream/read-again.ts';
import { type ChatStreamKey, executionOfStream } from './chat-stream.ts';
import { ReplyTakeover } from './reply-takeover.ts';

export interface FollowDurableChatOptions extends ReadAgainOptions {
  readonly store: StreamStore;
  readonly executions: Pick<ExecutionLog, 'find'>;
  readonly ticks: SharedInterval;
  readonly streamKey: ChatStreamKey;
  /** Number of chunks to leave out. */
  readonly after: number;
}

const pageSize = 1_000;
/** How often a reader looks for the next runner. */
const ticksPerLook = 2;

/**
 * The chunks of a durable reply, from the stream of one runner and then from those of the runners
 * that take over, as JSON. Chunks that a later runner repeats are left out.
 *
 * @throws UnavailableError (`ANSWER_LOST`) when the execution has failed, or was deleted.
 */
export async function* followDurableChat(
  firstId: string,
  options: FollowDurableChatOptions,
): AsyncGenerator<readonly string[], void, undefined> {
  const { after, signal } = options;
  let id = firstId;
  let read = 0;
  let takeover: ReplyTakeover | undefined;
  /** Everything that the reader has, once a second runner is followed. */
  const delivered: UIMessageChunk[] = [];
  let hasEnded = false;
  while (!signal.aborted) {
    let isLost = false;
    try {
      for await (const batch of followStream(id, { ...options, after: after + read })) {
        read += batch.length;
        const sent = takeover === undefined ? batch : withoutDelivered(takeover, batch, delivered);
        if (sent.length > 0) yield sent;
        hasEnded = endsReply(batch.at(-1));
      }
    } catch (error) {
      // The runner has died, or another one has taken over.
      if (!isHalyardError(error) || error.code !== 'ANSWER_LOST') throw error;
      isLost = true;
    }
    // The conversation is free only after the end of the stream, which follows the last chunk.
    if (hasEnded || signal.aborted) return;
    const next = await nextStream(id, isLost, options);
    if (signal.aborted) return;
    if (next === id) continue;
    if (next === 'cancelled') {
      yield [JSON.stringify({ type: 'abort' } satisfies UIMessageChunk)];
      return;
    }
    if (takeover === undefined) delivered.push(...(await toChunks(id, read, options)));
    takeover = new ReplyTakeover(delivered);
    id = next;
    read = 0;
  }
}

/**
 * Waits until the execution of a live stream exists, which is created after it.
 *
 * @returns false when its server died before, or refused the reply.
 */
export async function hasBegun(id: string, options: Omit<FollowDurableChatOptions, 'after'>): Promise<boolean> {
  const { executions, streamKey, signal, store, ticks } = options;
  const { agentId, conversationId, owner } = streamKey;
  while (!signal.aborted) {
    const live = await readAgain(() => store.findLive(owner, { agentId, conversationId }), options);
    const execution = await readAgain(() => executions.find('anyone', executionOfStream(id) ?? ''), options);
    if (execution !== undefined) return true;
    if (live?.id !== id) return false;
    await afterTicks(ticks, signal);
  }
  return true;
}

function withoutDelivered(
  takeover: ReplyTakeover,
  batch: readonly string[],
  delivered: UIMessageChunk[],
): readonly string[] {
  const sent = batch.flatMap((chunk) => takeover.take(JSON.parse(chunk) as UIMessageChunk));
  delivered.push(...sent);
  return sent.map((chunk) => JSON.stringify(chunk));
}

/** A runner that is replaced does not send the end of the reply. */
function endsReply(json: string | undefined): boolean {
  return json !== undefined && ['finish', 'abort', 'error'].includes((JSON.parse(json) as UIMessageChunk).type);
}

/**
 * Waits for the stream of the next runner.
 *
 * @param isLost whether the lease of the stream had ended when it was read. A renewal may have been
 * on the way: then it is the same stream.
 */
async function nextStream(
  id: string,
  isLost: boolean,
  options: Omit<FollowDurableChatOptions, 'after'>,
): Promise<string> {
  const { executions, streamKey, signal, store, ticks } = options;
  const executionId = executionOfStream(id) ?? '';
  const { agentId, conversationId, owner } = streamKey;
  while (!signal.aborted) {
    const live = await readAgain(() => store.findLive(owner, { agentId, conversationId }), options);
    if (live !== undefined && (isLost || live.id !== id) && executionOfStream(live.id) === executionId) return live.id;
    const execution = await readAgain(() => executions.find('anyone', executionId), options);
    if (execution?.status === 'cancelled') return 'cancelled';
    const last = streamIn(execution?.output);
    if (last !== undefined && last !== id) return last;
    if (isLost && last === id) {
      const stream = await readAgain(() => store.read(id, { after: 0, limit: 1 }), options);
      if (stream?.status === 'ended') return id;
    }
    if (execution?.status !== 'running')
      throw new UnavailableError('ANSWER_LOST', 'The answer was lost: it could not be withoutDelivered');
    await afterTicks(ticks, signal);
  }
  return id;
}

/** The stream that the runner wrote which finished the reply. */
function streamIn(output: JsonValue | undefined): string | undefined {
  const streamId =
    typeof output === 'object' && output !== null && 'streamId' in output ? output['streamId'] : undefined;
  return typeof streamId === 'string' ? streamId : undefined;
}

async function afterTicks(ticks: SharedInterval, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = ticksPerLook;
  const remove = ticks.add(() => {
    left -= 1;
    if (left === 0) resolve();
  });
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  remove();
}

/** The chunks that the reader has of a stream. */
async function toChunks(
  id: string,
  count: number,
  options: Pick<FollowDurableChatOptions, 'after' | 'store'> & ReadAgainOptions,
): Promise<UIMessageChunk[]> {
  const { after, store } = options;
  const chunks: UIMessageChunk[] = [];
  while (chunks.length < count) {
    const limit = Math.min(pageSize, count - chunks.length);
    const range = { after: after + chunks.length, limit };
    const page = await readAgain(() => store.read(id, range), options);
    if (page === undefined || page.chunks.length === 0) {
      throw new UnavailableError('ANSWER_LOST', 'The answer was lost: what was sent of it is not stored any more');
    }
    chunks.push(...page.chunks.map((chunk) => JSON.parse(chunk) as UIMessageChunk));
  }
  return chunks;
}
