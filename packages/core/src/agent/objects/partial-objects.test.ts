import { expect, it } from 'vitest';
import { collectEvents } from '../../testing/index.ts';
import type { AgentEvent } from '../agent-event.ts';
import { partialObjects } from './partial-objects.ts';

type Pieces = readonly (string | AgentEvent)[];

/** The partial objects after each batch of texts and events. */
async function partialsOf(...batches: readonly Pieces[]): Promise<readonly unknown[]> {
  async function* events(): AsyncGenerator<readonly AgentEvent[]> {
    for (const pieces of batches)
      yield pieces.map((piece) =>
        typeof piece === 'string' ? { type: 'text-delta' as const, id: 't', delta: piece } : piece,
      );
  }
  return (await collectEvents(partialObjects(events()))).map((event) => {
    expect(event.type).toBe('partial');
    return event.object;
  });
}

it('grows with the text, all texts of a batch together', async () => {
  expect(await partialsOf(['{"a":', '1'], [',"b":', '[2'], [']}'])).toEqual([{ a: 1 }, { a: 1, b: [2] }]);
});

it('is known once, while only blanks follow', async () => {
  expect(await partialsOf(['{"a":1'], ['  '], ['}'], ['\n'])).toEqual([{ a: 1 }]);
});

it.each(['7', 'null', '"text"', 'true', ' ', 'Sorry'])('is unknown after %j', async (text) => {
  expect(await partialsOf([text])).toEqual([]);
});

it('starts again with each step', async () => {
  const step = { type: 'start-step' } as AgentEvent;
  expect(await partialsOf([step, '{"a":1}'], [step, '{"b"', ':2'], [':'])).toEqual([{ a: 1 }, { b: 2 }]);
});

it('has nothing of what sub-agents write, and other events do not change it', async () => {
  const sub = { agentId: 'worker', agentPath: ['a', 'worker'] };
  const written = { type: 'text-delta', id: 't', delta: '{"b":2}', ...sub } as AgentEvent;
  const started = { type: 'start-step', ...sub } as AgentEvent;
  const reasoning = { type: 'reasoning-delta', id: 'r', delta: '{"c":3}' } as AgentEvent;
  expect(await partialsOf([written], ['{"a":1', started], [reasoning, ',"d":4'])).toEqual([{ a: 1 }, { a: 1, d: 4 }]);
});

it('is read again when the text has grown by more than a 32nd', async () => {
  const start = `{"a":"${'x'.repeat(314)}`;
  expect(start).toHaveLength(320);
  const lengths = (await partialsOf([start], ['y'.repeat(10)], ['z'])).map(
    (object) => (object as { a: string }).a.length,
  );
  expect(lengths).toEqual([314, 325]);
});
