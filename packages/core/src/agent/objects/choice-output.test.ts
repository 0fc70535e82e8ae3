import { expect, it } from 'vitest';
import { collectEvents, scriptedModel } from '../../testing/index.ts';
import type { AgentEvent } from '../agent-event.ts';
import { Agent } from '../agent.ts';
import { choiceOutput } from './choice-output.ts';

const options = ['sunny', 'snowy', 'rainy'] as const;

it('asks for one of the options, and returns it', async () => {
  const model = scriptedModel('{"result":"rainy"}');

  const { object } = await new Agent({ id: 'a', model }).generateObject('Weather?', { output: 'choice', options });

  expect(object).toBe('rainy');
  expect(model.calls[0]?.responseFormat).toEqual({
    type: 'json',
    schema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { result: { type: 'string', enum: ['sunny', 'snowy', 'rainy'] } },
      required: ['result'],
      additionalProperties: false,
    },
  });
});

it.each(['{"result":"windy"}', '{"answer":"sunny"}', '"sunny"'])('asks again after the answer %s', async (unfit) => {
  const model = scriptedModel(unfit, '{"result":"sunny"}');

  const { object } = await new Agent({ id: 'a', model }).generateObject('Weather?', { output: 'choice', options });

  expect(object).toBe('sunny');
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    content: [{ text: expect.stringContaining('object/result must be one of "sunny", "snowy", "rainy"') }],
  });
});

it('streams the option as soon as no other one is possible', async () => {
  const model = scriptedModel({ text: ['{"result":"s', 'n', 'ow', 'y"}'], pieceDelayMs: 1 });
  const stream = await new Agent({ id: 'a', model }).streamObject('Weather?', { output: 'choice', options });

  expect(await collectEvents(stream)).toEqual([
    { type: 'partial', object: 'snowy' },
    { type: 'object', object: 'snowy', usage: expect.objectContaining({ totalTokens: 15 }) },
  ]);
  expect(await stream.result).toMatchObject({ object: 'snowy' });
});

it('refuses an empty list of options, and an unknown kind of output', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel('{}') });

  await expect(agent.generateObject('Weather?', { output: 'choice', options: [] })).rejects.toThrow(
    '`options` must contain at least one text',
  );
  await expect(agent.generateObject('Weather?', { output: 'enum', options } as never)).rejects.toThrow(
    '`output` must be "object", "array" or "choice", not "enum"',
  );
});

it.each([[[]], [['sunny', 7]], ['sunny'], [undefined]])('refuses the options %j', (wrong) => {
  expect(() => choiceOutput(wrong as never)).toThrow('`options` must contain at least one text, and nothing else');
});

it.each([7, null, 'sunny', {}, { result: 7 }, { result: 'windy' }, { results: 'sunny' }])(
  'does not accept %j',
  (value) => {
    expect(choiceOutput(options).schema.validate(value, 'object')).toEqual({
      ok: false,
      message: 'object/result must be one of "sunny", "snowy", "rainy"',
    });
  },
);

it('foresees an option once, when the text can become no other one', async () => {
  async function* batches(): AsyncGenerator<readonly AgentEvent[]> {
    for (const delta of ['{"result":', '"', 'sun', 'n', 'y', '"', ',"result":"x"', '}'])
      yield [{ type: 'text-delta', id: 't', delta }];
  }
  const foreseen = await collectEvents(choiceOutput(['sun', 'sunny', 'rain']).partials(batches()));
  expect(foreseen).toEqual([{ type: 'partial', object: 'sunny' }]);
  async function* number(): AsyncGenerator<readonly AgentEvent[]> {
    yield [{ type: 'text-delta', id: 't', delta: '{"result":7' }];
  }
  expect(await collectEvents(choiceOutput(['7up']).partials(number()))).toEqual([]);
  const certain = await collectEvents(choiceOutput(['sunny']).partials(batches()));
  expect(certain).toEqual([{ type: 'partial', object: 'sunny' }]);
});
