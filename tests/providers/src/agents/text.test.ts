import { Agent } from '@halyard/core';
import { toTextReply } from '@halyard/core/server';
import { collectEvents } from '@halyard/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';
import { openaiApis, openaiModel, unset } from './openai-models.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const usage = { promptTokens: 7, completionTokens: 3, totalTokens: 10, cachedInputTokens: 2, reasoningTokens: 0 };
const sent = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2 };

describe.each(openaiApis)('text on the %s API', (api) => {
  const agent = () =>
    new Agent({ id: 'assistant', instructions: 'Be brief.', model: openaiModel(api, wire), generation: unset });

  it('returns text, usage and finish reason', async () => {
    wire.reply({ text: 'Hello, world', usage: sent });

    expect(toTextReply(await agent().generateText('Hi'))).toEqual({
      text: 'Hello, world',
      usage,
      finishReason: 'stop',
      toolCalls: [],
      toolResults: [],
    });
    expect(wire.requests).toHaveLength(1);
    expect(wire.requests[0]?.body['stream']).not.toBe(true);
  });

  it('streams the text in the chunks of the provider', async () => {
    wire.reply({ text: ['Hel', 'lo, ', 'world'], usage: sent });

    const stream = await agent().streamText('Hi');
    const events = await collectEvents(stream);

    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : []))).toEqual([
      'Hel',
      'lo, ',
      'world',
    ]);
    const messageMetadata = { usage, modelId: 'gpt-4.1' };
    expect(events.at(-1)).toEqual({ type: 'finish', finishReason: 'stop', usage, messageMetadata });
    expect(await stream.result).toMatchObject({ text: 'Hello, world', usage });
    expect(wire.requests[0]?.body['stream']).toBe(true);
  });

  it('sends the instructions and the whole conversation', async () => {
    wire.reply({ text: 'You mean Oslo.' });

    await agent().generateText([
      { role: 'user', content: 'I live in Oslo.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'Where do I live?' },
    ]);

    const body = JSON.stringify(wire.requests[0]?.body);
    const places = ['Be brief.', 'I live in Oslo.', 'Noted.', 'Where do I live?'].map((text) => body.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it.each(['length', 'content-filter'] as const)('returns the finish reason %s of the provider', async (finish) => {
    wire.replyAlways({ text: 'Once upon', finish });

    expect(await agent().generateText('Tell me')).toMatchObject({ text: 'Once upon', finishReason: finish });
    expect((await collectEvents(await agent().streamText('Tell me'))).at(-1)).toMatchObject({ finishReason: finish });
  });
});
