import type { Execution, ExecutionStore, StreamChunks } from '@halyard/contracts';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { SharedInterval } from '../../async/shared-interval.ts';
import { fixedClock } from '../../testing/index.ts';
import { followDurableChat, hasBegun } from './follow-durable-chat.ts';

const leaseMs = 9_000;
const executionId = '7f1c2d4e-1111-4222-8333-444455556666';
const id = `answer.${executionId}.1`;
const streamKey = { agentId: 'writer', conversationId: 'talk' };
const [start, finish] = ['{"type":"start"}', '{"type":"finish"}'];

/**
 * Reports a stream as lost that is live, once: a renewal of its lease is stored while it is read.
 */
class LateRenewal extends InMemoryStreamStore {
  #onLost: (() => Promise<unknown>) | undefined;
  #notify = (): void => {};

  /** The next reader, which is notified, finds the stream lost. */
  loseOnce(onLost: () => Promise<unknown>): void {
    this.#onLost = onLost;
    this.#notify();
  }

  override watch(...given: Parameters<InMemoryStreamStore['watch']>): () => void {
    this.#notify = () => given[1]();
    return super.watch(...given);
  }

  override async read(...given: Parameters<InMemoryStreamStore['read']>): Promise<StreamChunks | undefined> {
    const found = await super.read(...given);
    const onLost = this.#onLost;
    if (found === undefined || found.chunks.length > 0 || onLost === undefined) return found;
    this.#onLost = undefined;
    await onLost();
    return { chunks: [], status: 'lost' };
  }
}

/** A reply with its first chunk. */
async function open() {
  const clock = fixedClock();
  const store = new LateRenewal(clock);
  await store.begin({ id, ...streamKey, userId: 'ada' }, leaseMs);
  await store.append(id, { after: 0, chunks: [start] }, leaseMs);
  const execution: Pick<Execution, 'output' | 'status'> = { status: 'running', output: undefined };
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const executions: Pick<ExecutionStore, 'find'> = { find: () => Promise.resolve(execution as Execution) };
  const chunks = followDurableChat(id, {
    store,
    executions,
    clock,
    ticks: new SharedInterval(5),
    streamKey: { ...streamKey, owner: 'anyone' },
    after: 0,
    signal: stop.signal,
  });
  return { chunks, execution, store };
}

it('goes on with a stream whose lease was renewed while it was read', async () => {
  const { chunks, store } = await open();
  expect(await chunks.next()).toEqual({ done: false, value: [start] });
  store.loseOnce(async () => {
    setTimeout(() => void store.end(id, { after: 1, chunks: [finish] }), 20);
  });
  expect(await chunks.next()).toEqual({ done: false, value: [finish] });
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});

it('reads the rest of a stream that was renewed and has ended since', async () => {
  const { chunks, execution, store } = await open();
  await chunks.next();
  store.loseOnce(async () => {
    await store.end(id, { after: 1, chunks: [finish] });
    Object.assign(execution, { status: 'completed', output: { streamId: id } });
  });
  expect(await chunks.next()).toEqual({ done: false, value: [finish] });
  expect(await chunks.next()).toEqual({ done: true, value: undefined });
});

it('goes on with the stream of the next runner', async () => {
  const { chunks, execution, store } = await open();
  await chunks.next();
  const next = `answer.${executionId}.2`;
  store.loseOnce(async () => {
    await store.end(id, { after: 1, chunks: [] });
    await store.begin({ id: next, ...streamKey, userId: 'ada' }, leaseMs);
    await store.end(next, { after: 0, chunks: [start, finish] });
    Object.assign(execution, { status: 'completed', output: { streamId: next } });
  });
  expect(await chunks.next()).toEqual({ done: false, value: [finish] });
});

it.each([
  ['has failed', { status: 'error' }],
  ['has completed, and its stream was deleted', { status: 'completed', output: { streamId: id } }],
])('throws when the execution %s', async (_, changed) => {
  const { chunks, execution, store } = await open();
  await chunks.next();
  store.loseOnce(async () => {
    await store.discard(id);
    Object.assign(execution, changed);
  });
  await expect(chunks.next()).rejects.toMatchObject({ code: 'ANSWER_LOST' });
});

it.each([
  ['waits for the execution of a live stream', true],
  ['finds no execution where the stream ended before there was one', false],
])('%s', async (_, isCreated) => {
  const store = new InMemoryStreamStore(fixedClock());
  await store.begin({ id, ...streamKey, userId: 'ada' }, leaseMs);
  const found: (Execution | undefined)[] = [undefined, undefined];
  const { signal } = new AbortController();
  const begun = hasBegun(id, {
    store,
    executions: {
      find: async () => {
        if (found.length === 0 && !isCreated) await store.discard(id);
        return found.length > 0 || !isCreated ? found.pop() : ({ status: 'running' } as Execution);
      },
    },
    clock: fixedClock(),
    ticks: new SharedInterval(5),
    streamKey: { ...streamKey, owner: 'anyone' },
    signal,
  });
  expect(await begun).toBe(isCreated);
});
