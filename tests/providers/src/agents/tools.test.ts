import { Agent, createTool } from '@halyard/core';
import { collectEvents } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';
import { openaiApis, openaiModel, unset } from './openai-models.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const getWeather = createTool({
  name: 'getWeather',
  description: 'Current weather in a city',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }) => ({ city, sky: 'snow' }),
});
const tools = [getWeather];

describe.each(openaiApis)('tools on the %s API', (api) => {
  const agent = () => new Agent({ id: 'assistant', model: openaiModel(api, wire), tools, generation: unset });
  const ask = {
    generateText: async () => agent().generateText('Weather?'),
    streamText: async () => (await agent().streamText('Weather?')).result,
  };

  it.each(['generateText', 'streamText'] as const)(
    'makes the round trip of two calls at once by %s',
    async (method) => {
      wire.reply(
        {
          text: 'Let me check.',
          toolCalls: [
            { name: 'getWeather', input: { city: 'Oslo' } },
            { name: 'getWeather', input: { city: 'Rome' }, id: 'call_rome' },
          ],
        },
        { text: 'Snow.' },
      );

      const result = await ask[method]();

      expect(result).toMatchObject({
        text: 'Snow.',
        fullText: 'Let me check.\n\nSnow.',
        finishReason: 'stop',
        usage: { promptTokens: 20, completionTokens: 10, totalTokens: 30 },
        toolCalls: [
          { toolCallId: 'call_1_0', toolName: 'getWeather', input: { city: 'Oslo' } },
          { toolCallId: 'call_rome', toolName: 'getWeather', input: { city: 'Rome' } },
        ],
        toolResults: [{ output: { city: 'Oslo', sky: 'snow' } }, { output: { city: 'Rome', sky: 'snow' } }],
      });
      const second = wire.requests[1]?.body;
      const outputs = api === 'responses' ? responsesOutputs(second) : chatOutputs(second);
      expect(outputs).toEqual([
        ['call_1_0', '{"city":"Oslo","sky":"snow"}'],
        ['call_rome', '{"city":"Rome","sky":"snow"}'],
      ]);
    },
  );

  it('sends name, description and schema of the tool to the provider', async () => {
    wire.reply({ text: 'No need.' });

    await ask.generateText();

    const description = {
      name: 'getWeather',
      description: 'Current weather in a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    };
    expect(wire.requests[0]?.body['tools']).toMatchObject([
      api === 'responses' ? { type: 'function', ...description } : { type: 'function', function: description },
    ]);
  });

  it.each([
    { what: 'broken JSON', broken: '{"city":' },
    { what: 'arguments that do not fit', broken: '{"town":"Oslo"}' },
  ])('gives $what back to the model, which mends it', async ({ broken }) => {
    wire.reply(
      { toolCalls: [{ name: 'getWeather', arguments: broken }] },
      { toolCalls: [{ name: 'getWeather', input: { city: 'Oslo' } }] },
      { text: 'Snow.' },
    );

    const events = await collectEvents(await agent().streamText('Weather?'));

    expect(events.find(({ type }) => type === 'tool-error')).toMatchObject({ invalidInput: true });
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({ output: { city: 'Oslo', sky: 'snow' } });
    expect(JSON.stringify(wire.requests[1]?.body)).toContain('Invalid arguments for tool');
    expect(wire.scriptsLeft).toBe(0);
  });
});

type Body = OpenaiWire['requests'][number]['body'] | undefined;

function responsesOutputs(body: Body): readonly unknown[] {
  return items(body?.['input']).flatMap((item) =>
    item['type'] === 'function_call_output' ? [[item['call_id'], item['output']]] : [],
  );
}

function chatOutputs(body: Body): readonly unknown[] {
  return items(body?.['messages']).flatMap((item) =>
    item['role'] === 'tool' ? [[item['tool_call_id'], item['content']]] : [],
  );
}

function items(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.map((item: object) => ({ ...item })) : [];
}
