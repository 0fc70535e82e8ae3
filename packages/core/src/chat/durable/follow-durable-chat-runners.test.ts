import type { Execution, ExecutionStore } from '@halyard/contracts';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SharedInterval } from '../../async/shared-interval.ts';
import { fixedClock } from '../../testing/index.ts';
import { chatStreamId, executionOfStream } from './chat-stream.ts';
import { followDurableChat, hasBegun } from './follow-durable-chat.ts';

const leaseMs = 9_000;
const executionId = 'e1';
const streamOf = (epoch: number, attempt = 0): string => chatStreamId({ executionId, epoch, attempt });
const streamKey = { agentId: 'writer', conversationId: 'talk' };
const json = (chunk: object): string => JSON.stringify(chunk);
const start = json({ type: 'start', messageId: 'm1' });
const text = (delta: string) => json({ type: 'text-delta', id: 't', delta });
const opened = [start, json({ type: 'start-step' }), json({ type: 'text-start', id: 't' })];

function open(after = 0) {
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock);
  const execution: { status: string; output?: unknown } = { status: 'running' };
  const find = vi.fn<ExecutionStore['find']>().mockImplementation(async () => execution as unknown as Execution);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const options = {
    store,
    executions: { find },
    clock,
    ticks: new SharedInterval(2),
    streamKey: { ...streamKey, owner: 'anyone' as const },
    after,
    signal: stop.signal,
  };
  const begin = async (id: string, ...chunks: readonly string[]): Promise<void> => {
    await store.begin({ id, ...streamKey, userId: 'ada' }, leaseMs);
    await store.append(id, { after: 0, chunks }, leaseMs);
  };
  const follow = () => followDurableChat(streamOf(1), options);
  return { begin, execution, find, follow, options, stop, store };
}

async function readAll(chunks: AsyncIterable<readonly string[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of chunks) {
    expect(batch.length).toBeGreaterThan(0);
    all.push(...batch);
  }
  return all;
}

it('names the stream of each runner and attempt, and knows its execution', () => {
  expect([streamOf(1), streamOf(10, 2)]).toEqual(['answer.e1.1', 'answer.e1.10.2']);
  expect([streamOf(1), streamOf(10, 2)].map(executionOfStream)).toEqual(['e1', 'e1']);
  expect(['s1', 'answer.e1', 'x.answer.e1.1', 'answer.e1.1.2.x'].map(executionOfStream)).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
});

it.each(['finish', 'abort', 'error'])('ends with %s, and asks for no next runner', async (type) => {
  const { begin, find, follow, store } = open();
  await begin(streamOf(1), start);
  await store.end(streamOf(1), { after: 1, chunks: [json({ type })] });
  expect(await readAll(follow())).toEqual([start, json({ type })]);
  expect(find).not.toHaveBeenCalled();
});

it('goes on with the new chunks of the next runner, also after chunks that were left out', async () => {
  for (const after of [0, 2]) {
    const { begin, execution, follow, store } = open(after);
    await begin(streamOf(1), ...opened, text('Hel'));
    await store.end(streamOf(1), { after: 4, chunks: [] });
    await begin(streamOf(2), ...opened, text('Hello'));
    await store.end(streamOf(2), { after: 4, chunks: [json({ type: 'finish' })] });
    Object.assign(execution, { status: 'completed', output: { streamId: streamOf(2) } });
    const chunks = await readAll(follow());
    expect(chunks.slice(-3)).toEqual([text('Hel'), text('lo'), json({ type: 'finish' })]);
    expect(chunks[0]).toBe(opened[after]);
  }
});

it('waits for the next runner of the same execution', async () => {
  const { begin, find, follow, store } = open();
  await begin(streamOf(1), ...opened);
  await store.end(streamOf(1), { after: 3, chunks: [] });
  const chunks = follow();
  await chunks.next();
  const next = chunks.next();
  await vi.waitFor(() => expect(find.mock.calls.length).toBeGreaterThan(1));
  await begin(streamOf(2), ...opened, text('Hi'));
  expect(await next).toEqual({ done: false, value: [text('Hi')] });
  expect(find).toHaveBeenCalledWith('anyone', executionId);
});

it('does not follow the stream of another execution', async () => {
  const { begin, execution, follow, store } = open();
  await begin(streamOf(1), start);
  await store.end(streamOf(1), { after: 1, chunks: [] });
  await begin(chatStreamId({ executionId: 'e2', epoch: 1, attempt: 0 }), text('other'));
  execution.status = 'error';
  const chunks = follow();
  await chunks.next();
  await expect(chunks.next()).rejects.toMatchObject({ kind: 'unavailable', code: 'ANSWER_LOST' });
});

it('ends with an abort when the execution was cancelled', async () => {
  const { begin, execution, follow, store } = open();
  await begin(streamOf(1), start);
  await store.end(streamOf(1), { after: 1, chunks: [] });
  execution.status = 'cancelled';
  expect(await readAll(follow())).toEqual([start, '{"type":"abort"}']);
});

it.each([undefined, null, 'text', { streamId: 7 }, {}])('is lost when the execution ended with %j', async (output) => {
  const { begin, execution, follow, store } = open();
  await begin(streamOf(1), start);
  await store.end(streamOf(1), { after: 1, chunks: [] });
  Object.assign(execution, { status: 'completed', output });
  const chunks = follow();
  await chunks.next();
  await expect(chunks.next()).rejects.toMatchObject({ code: 'ANSWER_LOST' });
});

it('throws an error of the store', async () => {
  const { begin, follow, store } = open();
  await begin(streamOf(1), start);
  const error = new TypeError('broken');
  vi.spyOn(store, 'read').mockRejectedValueOnce(error);
  await expect(follow().next()).rejects.toBe(error);
});

it('is lost when the chunks that the reader has are not stored any more', async () => {
  const { begin, follow, store } = open();
  await begin(streamOf(1), ...opened);
  await store.end(streamOf(1), { after: 3, chunks: [] });
  await begin(streamOf(2), ...opened);
  const chunks = follow();
  await chunks.next();
  await store.discard(streamOf(1));
  await expect(chunks.next()).rejects.toMatchObject({ code: 'ANSWER_LOST' });
});

it('ends when its reader leaves while it waits for the next runner', async () => {
  const { begin, find, follow, stop, store } = open();
  await begin(streamOf(1), start);
  await store.end(streamOf(1), { after: 1, chunks: [] });
  const chunks = follow();
  await chunks.next();
  const next = chunks.next();
  await vi.waitFor(() => expect(find).toHaveBeenCalled());
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

it('has begun where the execution exists, and not where another answer is live', async () => {
  const { begin, find, options, stop } = open();
  expect(await hasBegun(streamOf(1), options)).toBe(true);
  expect(find).toHaveBeenCalledWith('anyone', executionId);
  find.mockResolvedValue(undefined);
  await begin(chatStreamId({ executionId: 'e2', epoch: 1, attempt: 0 }), start);
  expect(await hasBegun(streamOf(1), options)).toBe(false);
  stop.abort();
  expect(await hasBegun(streamOf(1), options)).toBe(true);
});
