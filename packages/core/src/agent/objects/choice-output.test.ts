import { expect, it } from 'vitest';
import { collectEvents, scriptedModel } from '../../testing/index.ts';
import { Agent } from '../agent.ts';

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
