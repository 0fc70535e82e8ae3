import { expect, it } from 'vitest';
import {
  collectEvents,
  createScriptedModel,
  fixedClock,
  scriptedModel,
  type ScriptedModel,
  type ScriptedReply,
  sequentialIds,
} from './index.ts';

const prompt: [] = [];
const streamOf = async (model: ScriptedModel, abortSignal?: AbortSignal) => {
  const { stream } = await model.doStream({ prompt, ...(abortSignal && { abortSignal }) });
  return collectEvents(stream);
};

it('plays its turns in order, repeats the last, and records its calls', async () => {
  const model = scriptedModel('One', 'Two');

  const texts: unknown[] = [];
  for (const seed of [1, 2, 3]) texts.push((await model.doGenerate({ prompt, seed })).content);

  expect(texts).toEqual(['One', 'Two', 'Two'].map((text) => [{ type: 'text', text }]));
  expect(model.calls.map(({ seed }) => seed)).toEqual([1, 2, 3]);
});

it('streams reasoning, words and tool calls', async () => {
  const parts = await streamOf(
    scriptedModel({ reasoning: 'Hm.', text: 'Two words', toolCalls: [{ toolName: 'look', input: { a: 1 } }] }),
  );

  expect(parts.map((part) => ('delta' in part ? part.delta : part.type))).toEqual([
    'stream-start',
    'reasoning-start',
    'Hm.',
    'reasoning-end',
    'text-start',
    'Two ',
    'words',
    'text-end',
    'tool-input-start',
    '{"a":1}',
    'tool-input-end',
    'tool-call',
    'finish',
  ]);
  expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } });
});

it('lets a turn depend on the call', async () => {
  const model = scriptedModel(({ seed }, index) => `${seed} ${index}`);

  await model.doGenerate({ prompt, seed: 5 });
  expect((await model.doGenerate({ prompt, seed: 6 })).content).toEqual([{ type: 'text', text: '6 1' }]);
});

it('throws its error, before or after the text', async () => {
  const error = new Error('down');

  await expect(scriptedModel({ error }).doGenerate({ prompt })).rejects.toBe(error);
  await expect(scriptedModel({ error }).doStream({ prompt })).rejects.toBe(error);
  await expect(streamOf(scriptedModel({ text: 'Half', error, failAfterText: true }))).rejects.toBe(error);
});

it('ends its stream without a finish part', async () => {
  expect((await streamOf(scriptedModel({ text: 'Half', breaksOff: true }))).at(-1)).toEqual({
    type: 'text-end',
    id: 't0',
  });
});

it.each<[string, ScriptedReply]>([
  ['hangs', { hangs: true }],
  ['is slow to begin', { delayMs: 60_000 }],
  ['is slow with each word', { text: 'One two', pieceDelayMs: 60_000 }],
])('ends with an abort while it %s, and counts it', async (_state, turn) => {
  const controller = new AbortController();
  const model = createScriptedModel([turn], { modelId: 'slow' });
  const reading = streamOf(model, controller.signal);
  await new Promise(setImmediate);

  controller.abort();

  await expect(reading).rejects.toThrow('aborted');
  expect([model.modelId, model.abortsSeen]).toEqual(['slow', 1]);
});

it('provides a clock that stands still, and sequential ids', () => {
  const clock = fixedClock(5);
  const ids = sequentialIds('run');

  expect(clock.now()).toBe(5);
  clock.advance(10);
  expect(clock.now()).toBe(15);
  expect([ids.next(), ids.next()]).toEqual(['run-1', 'run-2']);
});
