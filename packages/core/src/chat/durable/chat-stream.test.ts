import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { fixedClock } from '../../testing/index.ts';
import { type ChatRunner, executionOfStream, openChatStream } from './chat-stream.ts';

const leaseMs = 9_000;
const place = { agentId: 'writer', conversationId: 'talk', userId: 'ada' };
const executionId = '7f1c2d4e-1111-4222-8333-444455556666';

function open() {
  const clock = fixedClock();
  const store = new InMemoryStreamStore(clock);
  const leave = new AbortController();
  const begin = (runner: Partial<ChatRunner>, hasBegun = false) =>
    openChatStream({ executionId, epoch: 1, attempt: 0, ...runner }, place, {
      store,
      clock,
      leaseMs,
      signal: leave.signal,
      hasBegun,
      retry: (call) => call(),
    });
  const isLive = async (id: string): Promise<boolean> =>
    (await store.append(id, { after: 0, chunks: [] }, leaseMs)) !== 'lost';
  return { begin, isLive, leave, store };
}

it.each([
  ['epoch', { epoch: 9 }, { epoch: 10 }],
  ['attempt', { attempt: 0 }, { attempt: 1 }],
])('ends the stream of a runner with a smaller %s, and remembers a request to stop it', async (_, before, after) => {
  const { begin, isLive, store } = open();
  const first = await begin(before);
  await store.requestStop('anyone', place);
  const second = await begin(after);
  expect(second.isStopRequested).toBe(true);
  expect([await isLive(first.id), await isLive(second.id)]).toEqual([false, true]);
});

it('does not begin the first stream again that the request has begun, unless it was lost', async () => {
  const { begin, isLive, store } = open();
  const beginStream = vi.spyOn(store, 'begin');
  await store.begin({ id: `answer.${executionId}.1`, ...place }, leaseMs);
  const first = await begin({}, true);
  expect([first.attempt, await isLive(first.id)]).toEqual([0, true]);
  expect(beginStream).toHaveBeenCalledTimes(1);

  await store.discard(first.id);
  const second = await begin({}, true);
  expect([second.attempt, await isLive(second.id)]).toEqual([1, true]);
});

it('leaves the stream of a runner with a greater epoch, and waits until its own execution is lost', async () => {
  const { begin, isLive, leave } = open();
  const { id } = await begin({ epoch: 10 });
  const beginning = begin({ epoch: 9 });
  beginning.catch(() => {});
  for (let turns = 0; turns < 8; turns += 1) await yieldToEventLoop();
  expect(await isLive(id)).toBe(true);
  leave.abort(new TypeError('lost'));
  await expect(beginning).rejects.toThrow();
  expect(await isLive(id)).toBe(true);
});

it('waits while another answer has the conversation', async () => {
  const { begin, isLive, store } = open();
  const other = await begin({ executionId: 'another' });
  const beginning = begin({});
  for (let turns = 0; turns < 8; turns += 1) await yieldToEventLoop();
  expect(await isLive(other.id)).toBe(true);
  await store.end(other.id, { after: 0, chunks: [] });
  expect(executionOfStream((await beginning).id)).toBe(executionId);
});
