import { InvalidInputError, UnavailableError } from '@halyard/contracts';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { SharedInterval } from '../../async/shared-interval.ts';
import { fixedClock } from '../../testing/index.ts';
import { followDurableChat } from '../durable/follow-durable-chat.ts';
import { followStream } from './follow-stream.ts';
import { readAgain } from './read-again.ts';

const down = () => new UnavailableError('STORAGE_UNAVAILABLE', 'The storage is not available');
const streamKey = { agentId: 'writer', conversationId: 'talk' };
const leaseMs = 600_000;
const chunksOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, id) => JSON.stringify({ type: 'text-delta', id: 't', delta: `${id} ` }));

/** Waits take no time, but the clock counts them. */
function open() {
  const clock = fixedClock();
  const leaving = new AbortController();
  const waits: number[] = [];
  const delay = async (ms: number): Promise<void> => {
    waits.push(ms);
    clock.advance(ms);
  };
  return { leaving, waits, options: { clock, delay, signal: leaving.signal } };
}

it('reads again for 30 s, with longer and longer waits, and throws the last error then', async () => {
  const { options, waits } = open();
  await expect(readAgain(() => Promise.reject(down()), options)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
  expect(waits.slice(0, 7)).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
  const total = waits.reduce((sum, ms) => sum + ms, 0);
  expect([total <= 30_000, total + 2_000 > 30_000]).toEqual([true, true]);
});

it('does not read again after another error, or when nobody reads any more', async () => {
  const { leaving, options, waits } = open();
  for (const error of [new InvalidInputError('no'), new TypeError('broken')])
    await expect(readAgain(() => Promise.reject(error), options)).rejects.toBe(error);
  leaving.abort();
  await expect(readAgain(() => Promise.reject(down()), options)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(waits).toEqual([]);
});

it.each([1, 2, 3, 4])('sends each chunk once when read %i of an answer fails for some seconds', async (nth) => {
  const { options, waits } = open();
  const store = new InMemoryStreamStore(options.clock);
  const all = chunksOf(600);
  await store.begin({ id: 's1', ...streamKey, userId: 'ada' }, leaseMs);
  await store.end('s1', { after: 0, chunks: all });
  const real = store.read.bind(store);
  const read = vi.spyOn(store, 'read');
  for (let passed = 1; passed < nth; passed += 1) read.mockImplementationOnce(real);
  for (let failed = 0; failed < 6; failed += 1) read.mockRejectedValueOnce(down());

  const sent: string[] = [];
  const ticks = new SharedInterval(5);
  for await (const batch of followStream('s1', { ...options, store, ticks, after: 0 })) sent.push(...batch);

  expect(sent).toEqual(all);
  expect(waits).toHaveLength(nth <= 3 ? 6 : 0);
});

it('follows the next runner of a durable answer when every read of that fails at first', async () => {
  const { options, waits } = open();
  const store = new InMemoryStreamStore(options.clock);
  const [first, second] = ['answer.e1.1', 'answer.e1.2'] as const;
  const opening = [{ type: 'start', messageId: 'm1' }, { type: 'start-step' }, { type: 'text-start', id: 't' }];
  const all = [...opening.map((chunk) => JSON.stringify(chunk)), ...chunksOf(3), JSON.stringify({ type: 'finish' })];
  await store.begin({ id: first, ...streamKey, userId: 'ada' }, leaseMs);
  await store.end(first, { after: 0, chunks: all.slice(0, 5) });
  await store.begin({ id: second, ...streamKey, userId: 'ada' }, leaseMs);
  await store.end(second, { after: 0, chunks: all });
  const flaky = <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>) => {
    let calls = 0;
    return (...given: Given): Promise<Result> => {
      calls += 1;
      return calls % 2 === 1 ? Promise.reject(down()) : call(...given);
    };
  };
  const [read, findLive] = [flaky(store.read.bind(store)), flaky(store.findLive.bind(store))];
  vi.spyOn(store, 'read').mockImplementation(read);
  vi.spyOn(store, 'findLive').mockImplementation(findLive);
  const find = flaky(async () => ({ status: 'completed', output: { streamId: second } }) as never);
  const sent: string[] = [];
  const answer = followDurableChat(first, {
    ...options,
    store,
    executions: { find },
    ticks: new SharedInterval(2),
    streamKey: { ...streamKey, owner: 'anyone' },
    after: 0,
  });
  for await (const batch of answer) sent.push(...batch);

  const deltas = sent.map((chunk) => (JSON.parse(chunk) as { delta?: string }).delta ?? '');
  expect(deltas.join('')).toBe('0 1 2 ');
  expect(waits.length).toBeGreaterThan(3);
});
