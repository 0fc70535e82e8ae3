import { expect, it } from 'vitest';
import { scriptedModel, type ScriptedReply } from '../testing/index.ts';
import { Agent } from './agent.ts';
import { EventStream } from './loop/event-stream.ts';

const manyPieces = (onPiece: (count: number) => void, pieces = 5000): ScriptedReply => {
  let count = 0;
  return {
    text: {
      *[Symbol.iterator]() {
        for (; count < pieces;) {
          count += 1;
          onPiece(count);
          yield 'x';
        }
      },
    },
  };
};

it('aborts the run when its consumer stops reading', async () => {
  const model = scriptedModel({ text: 'Half', hangs: true });
  const stream = await new Agent({ id: 'a', model }).streamText('Hi');

  for await (const event of stream) if (event.type === 'text-delta') break;

  await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
  expect(model.calls[0]?.abortSignal?.aborted).toBe(true);
  expect(model.abortsSeen).toBe(1);
});

it('aborts the run at once when its consumer returns while an event is pending', async () => {
  const stream = await new Agent({ id: 'a', model: scriptedModel({ hangs: true }) }).streamText('Hi');
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  await events.next();
  const waiting = events.next();

  await events.return?.();

  expect(await waiting).toEqual({ done: true, value: undefined });
  await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
});

it('does not abort a run that has ended', async () => {
  const stream = await new Agent({ id: 'a', model: scriptedModel('Hi') }).streamText('Hi');

  const { text } = await stream.result;
  await stream[Symbol.asyncIterator]().return?.();

  expect(text).toBe('Hi');
});

it('makes the model wait while its events are not read', async () => {
  let produced = 0;
  const stream = await new Agent({
    id: 'a',
    model: scriptedModel(manyPieces((count) => (produced = count))),
  }).streamText('Hi');

  for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate);
  expect(produced).toBeGreaterThan(200);
  expect(produced).toBeLessThan(300);

  let text = '';
  for await (const event of stream) if (event.type === 'text-delta') text += event.delta;
  expect(text).toHaveLength(5000);
});

it('can be aborted while it waits for a consumer that does not read', async () => {
  const controller = new AbortController();
  const stream = await new Agent({ id: 'a', model: scriptedModel(manyPieces(() => {})) }).streamText('Hi', {
    signal: controller.signal,
  });
  for (let turn = 0; turn < 1000; turn += 1) await new Promise(setImmediate);

  controller.abort();

  await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
});

it('delivers events that were pushed together in one batch', async () => {
  const events = new EventStream<number>(
    () => 0,
    () => {},
  );
  void events.push(1);
  void events.push(2);
  expect(await events.next()).toEqual({ done: false, value: [1, 2] });

  const waiting = events.next();
  void events.push(3);
  void events.push(4);
  expect(await waiting).toEqual({ done: false, value: [3, 4] });

  void events.push(5);
  events.end();
  expect(await events.next()).toEqual({ done: false, value: [5] });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

it('makes a producer wait, by the number and the weight of events, until there is room', async () => {
  const events = new EventStream<string>(
    (text) => text.length,
    () => {},
    { maxEvents: 3, maxWeight: 10 },
  );
  expect(events.push('a')).toBeUndefined();
  const heavy = events.push('0123456789');
  expect(heavy).toBeInstanceOf(Promise);
  await events.next();
  await heavy;

  expect([events.push('a'), events.push('b')]).toEqual([undefined, undefined]);
  const third = events.push('c');
  events.release();
  await third;
  expect(events.push('d')).toBeUndefined();
});

it('makes the model wait behind long texts, too', async () => {
  let produced = 0;
  const model = scriptedModel({
    text: {
      *[Symbol.iterator]() {
        for (; produced < 100;) {
          produced += 1;
          yield 'x'.repeat(16 * 1024);
        }
      },
    },
  });
  const stream = await new Agent({ id: 'a', model }).streamText('Hi');

  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  expect(produced).toBeLessThan(10);

  let length = 0;
  for await (const event of stream) if (event.type === 'text-delta') length += event.delta.length;
  expect(length).toBe(100 * 16 * 1024);
});
