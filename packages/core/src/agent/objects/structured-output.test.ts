import { inspect } from 'node:util';
import { Type } from '@sinclair/typebox';
import { generateText, Output } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchema } from '../../schema/compile-schema.ts';
import { ClientSchemas } from '../../schema/untrusted/client-schemas.ts';
import { collectEvents, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { Agent } from '../agent.ts';
import { noUsage } from '../usage.ts';
import { fittingObject, objectRequest } from './structured-output.ts';

const schema = Type.Object({ city: Type.String(), celsius: Type.Number() });
const services = { logger: silentLogger };
const paris = { city: 'Paris', celsius: 21 };
const answer = JSON.stringify(paris);

it('asks for JSON of the schema and returns the object', async () => {
  const model = scriptedModel(answer);

  const { object, usage, finishReason } = await new Agent({ id: 'a', model }).generateObject('Weather?', { schema });

  const named = await new Agent({ id: 'a', model }).generateObject('Weather?', { output: 'object', schema });
  expect(named.object).toEqual(paris);
  expect({ object, usage: usage.totalTokens, finishReason }).toEqual({
    object: paris,
    usage: 15,
    finishReason: 'stop',
  });
  expect(model.calls[0]?.responseFormat).toMatchObject({
    type: 'json',
    schema: { type: 'object', required: ['city', 'celsius'] },
  });
});

it('accepts an answer in a Markdown code block', async () => {
  for (const text of [`\`\`\`json\n${answer}\n\`\`\``, `\`\`\`\n${answer}\`\`\`\n`, `\n ${answer}\n`]) {
    expect(
      (await new Agent({ id: 'a', model: scriptedModel(text) }).generateObject('Weather?', { schema })).object,
    ).toEqual(paris);
  }
});

it('sends an answer that does not fit back once', async () => {
  const model = scriptedModel('{"city":"Paris","celsius":"warm"}', answer);

  const { object, usage } = await new Agent({ id: 'a', model }).generateObject('Weather?', { schema });

  expect(object).toEqual(paris);
  expect(usage.totalTokens).toBe(30);
  expect(model.calls[1]?.prompt.slice(-2)).toMatchObject([
    { role: 'assistant', content: [{ text: '{"city":"Paris","celsius":"warm"}' }] },
    { role: 'user', content: [{ text: expect.stringContaining('object/celsius must be number') }] },
  ]);
});

it('fails after one repair', async () => {
  const model = scriptedModel('Sorry.');

  await expect(new Agent({ id: 'a', model }).generateObject('Weather?', { schema, services })).rejects.toMatchObject({
    code: 'OBJECT_NOT_GENERATED',
    kind: 'failed',
    cause: 'it is not JSON',
  });
  expect(model.calls).toHaveLength(2);
});

describe.each([
  ['a refusal', { text: 'I cannot help.', finishReason: 'content-filter' }, /refused to answer.*\(content-filter\)$/],
  ['nothing that was filtered', { finishReason: 'content-filter' }, /filtered the answer/],
  ['a cut object', { text: '{"city":"Par', finishReason: 'length' }, /cut at the limit of tokens.*maxOutputTokens/],
  ['nothing within the limit of tokens', { finishReason: 'length' }, /cut at the limit of tokens/],
] as const)('%s', (_answer, turn, message) => {
  const { finishReason } = turn;
  const text = 'text' in turn ? turn.text : '';
  const failure = { code: 'OBJECT_NOT_GENERATED', message: expect.stringMatching(message), finishReason, text };

  it('is not asked for again', async () => {
    const model = scriptedModel(turn);
    const agent = new Agent({ id: 'a', model });
    const asObject = { schema, services };
    const asList = { output: 'array', element: schema, services } as const;
    const asChoice = { output: 'choice', options: ['a', 'b'], services } as const;
    const streams = [
      await agent.streamObject('Weather?', asObject),
      await agent.streamObject('Weather?', asList),
      await agent.streamObject('Weather?', asChoice),
    ];
    for (const stream of streams) await collectEvents<unknown>(stream);
    const results = [
      ...streams.map(({ result }) => result),
      agent.generateObject('Weather?', asObject),
      agent.generateObject('Weather?', asList),
      agent.generateObject('Weather?', asChoice),
    ];

    for (const result of results)
      await expect(result).rejects.toMatchObject({ ...failure, usage: { totalTokens: 15 } });
    expect(model.calls).toHaveLength(results.length);
  });
});

it('accepts an object that fits although the model was cut after it', async () => {
  const model = scriptedModel({ text: answer, finishReason: 'length' });
  const { object, finishReason } = await new Agent({ id: 'a', model }).generateObject('Weather?', { schema, services });
  expect({ object, finishReason }).toEqual({ object: paris, finishReason: 'length' });
});

it('gives the text of the model instead of an object, but not to logs', async () => {
  const model = scriptedModel('My secret.');
  const error: unknown = await new Agent({ id: 'a', model })
    .generateObject('Weather?', { schema, services })
    .catch((failure: unknown) => failure);
  expect(error).toMatchObject({ text: 'My secret.', finishReason: 'stop', usage: { totalTokens: 30 } });
  expect(inspect(error)).not.toContain('secret');
  expect(JSON.stringify(error)).not.toContain('secret');
});

it.each([`Here it is: ${answer}`, `<think>Easy.</think>${answer}`, `<think>Easy.</think>\n\n${answer}`, `${answer}!`])(
  'accepts no text beside the object, as the AI SDK does: %j',
  async (text) => {
    const model = scriptedModel(text);
    await expect(
      generateText({ model, output: Output.object({ schema: z.object({}) }), prompt: 'Weather?' }),
    ).rejects.toThrow('No object generated');
    await expect(new Agent({ id: 'a', model }).generateObject('Weather?', { schema, services })).rejects.toMatchObject({
      code: 'OBJECT_NOT_GENERATED',
      text,
    });
  },
);

it('repairs an empty answer without an empty message of the model', async () => {
  const model = scriptedModel({}, answer);

  await new Agent({ id: 'a', model }).generateObject('Weather?', { schema });

  expect(model.calls[1]?.prompt.map(({ role }) => role)).toEqual(['user', 'user']);
});

it('uses tools, and reads the object from the text of the last step', async () => {
  const look = createTool({ name: 'look', description: 'Looks', input: Type.Object({}), execute: () => 21 });
  const model = scriptedModel({ text: 'Let me look.', toolCalls: [{ toolName: 'look', input: {} }] }, answer);

  expect((await new Agent({ id: 'a', model, tools: [look] }).generateObject('Weather?', { schema })).object).toEqual(
    paris,
  );
});

it('returns the output of a Standard Schema, and accepts compiled schemas', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel('{"at":"7"}') });

  expect(
    (await agent.generateObject('When?', { schema: z.object({ at: z.string().transform(Number) }) })).object,
  ).toEqual({ at: 7 });
  const schemas = new ClientSchemas({ timeLimitMs: 20_000 });
  const compiled = await schemas.compile(
    { type: 'object', properties: { at: { type: 'string', pattern: '^\\d$' } } },
    { caller: 'ada' },
  );
  expect((await agent.generateCompiled('When?', compiled, {})).object).toEqual({ at: '7' });
  expect((await (await agent.streamCompiled('When?', compiled, {})).result).object).toEqual({ at: '7' });
  await schemas.close();
});

it('streams partial objects, then the complete one', async () => {
  const stream = await new Agent({
    id: 'a',
    model: scriptedModel({ text: ['{"city":"Pa', 'ris","cel', 'sius":21}'], pieceDelayMs: 1 }),
  }).streamObject('Weather?', { schema });

  const events = await collectEvents(stream);

  expect(events).toEqual([
    { type: 'partial', object: { city: 'Pa' } },
    { type: 'partial', object: { city: 'Paris' } },
    { type: 'partial', object: paris },
    { type: 'object', object: paris, usage: expect.objectContaining({ totalTokens: 15 }) },
  ]);
  expect(await stream.result).toMatchObject({ object: paris, finishReason: 'stop' });
});

it('starts again with the partial objects of a repaired answer', async () => {
  const stream = await new Agent({ id: 'a', model: scriptedModel('{"city":1}', answer) }).streamObject('Weather?', {
    schema,
  });

  const events = await collectEvents(stream);

  expect(events.at(-1)).toMatchObject({ type: 'object', object: paris });
  expect(events).not.toContainEqual(expect.objectContaining({ object: { city: 1, celsius: 21 } }));
});

it('ends a streamed object with an error event, and rejects its result with the same error', async () => {
  const unfit = await new Agent({ id: 'a', model: scriptedModel('Sorry.') }).streamObject('Weather?', {
    schema,
    services,
  });
  const broken = await new Agent({ id: 'a', model: scriptedModel({ error: new Error('secret') }) }).streamObject(
    'Weather?',
    { schema, services },
  );

  expect(await collectEvents(unfit)).toEqual([
    { type: 'error', error: 'Agent "a" did not produce an object that fits the schema' },
  ]);
  await expect(unfit.result).rejects.toMatchObject({ code: 'OBJECT_NOT_GENERATED' });
  expect(await collectEvents(broken)).toEqual([{ type: 'error', error: 'The model of agent "a" failed' }]);
});

it('aborts the run when the consumer of a streamed object stops reading', async () => {
  const stream = await new Agent({
    id: 'a',
    model: scriptedModel({ text: '{"city":"Paris"', hangs: true }),
  }).streamObject('Weather?', { schema });

  for await (const event of stream) if (event.type === 'partial') break;

  await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
});

it('does not parse a long object again for every word', async () => {
  const long = { words: Array.from({ length: 5000 }, (_, index) => `word${index}`) };
  const model = scriptedModel({ text: JSON.stringify(long).match(/.{1,8}/g) ?? [] });
  const stream = await new Agent({ id: 'a', model }).streamObject('Words', {
    schema: Type.Object({ words: Type.Array(Type.String()) }),
  });

  const events = await collectEvents(stream);

  expect(events.length).toBeLessThan(400);
  expect(events.at(-1)).toMatchObject({ type: 'object', object: long });
});

it('asks for an object whose schema is closed, as the strict modes of providers require', async () => {
  const model = scriptedModel('{"city":"Rome"}');
  const agent = new Agent({ id: 'a', model });

  await agent.generateObject('Where?', { schema: Type.Object({ city: Type.String() }) });
  await agent.generateObject('Where?', { schema: z.object({ city: z.string() }) });

  for (const { responseFormat } of model.calls)
    expect(responseFormat).toMatchObject({ schema: { properties: { city: {} }, additionalProperties: false } });
});

it.each([
  [`  \`\`\`JSON  \n${answer}\n\`\`\`  `, true],
  [`\`\`\`json\n${answer}`, false],
  [`Here it is:\n\`\`\`json\n${answer}\n\`\`\``, false],
  [`\`\`\`json\n${answer}\n\`\`\`\nDone.`, false],
  [`\`\`\`yaml\n${answer}\n\`\`\``, false],
])('accepts the answer %j: %s', async (text, isAccepted) => {
  const compiled = compileSchema(schema, 'the schema');
  const complaint =
    'Your answer does not fit the schema: it is not JSON. Answer again with the corrected JSON object only.';
  expect(await objectRequest(compiled).complaint(text)).toBe(isAccepted ? undefined : complaint);
});

it('asks with the name and the description of the schema, and for as many repairs as its caller wants', () => {
  const compiled = compileSchema(schema, 'the schema');
  const named = objectRequest(compiled, { schemaName: 'weather', schemaDescription: 'Of a city', repairs: 3 });
  expect(named).toMatchObject({ repairs: 3, format: { type: 'json', name: 'weather', description: 'Of a city' } });
  expect(objectRequest(compiled).repairs).toBe(1);
  expect(Object.keys(objectRequest(compiled).format)).toEqual(['type', 'schema']);
});

it('throws away an answer that does not fit, and says of which agent', async () => {
  const compiled = compileSchema(schema, 'the schema');
  const stopped = { finishReason: 'stop', usage: noUsage } as const;
  expect(await fittingObject({ ...stopped, text: answer }, compiled, 'a')).toEqual(paris);
  await expect(fittingObject({ ...stopped, text: '{"city":"Paris"}' }, compiled, 'a')).rejects.toMatchObject({
    code: 'OBJECT_NOT_GENERATED',
    message: 'Agent "a" did not produce an object that fits the schema',
    cause: expect.stringContaining('celsius'),
  });
});
