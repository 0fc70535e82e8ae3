import { Agent, createTool } from '@halyard/core';
import { collectEvents } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';
import { openaiModel, unset } from './openai-models.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const add = createTool({
  name: 'add',
  description: 'Adds',
  input: Type.Object({ a: Type.Number(), b: Type.Number() }),
  execute: ({ a, b }) => a + b,
});

function agent(store: boolean) {
  return new Agent({
    id: 'thinker',
    model: openaiModel('responses', wire, 'gpt-5-mini'),
    tools: [add],
    generation: { ...unset, providerOptions: { openai: { store } } },
  });
}

const turns = [
  { reasoning: ['First I check.', 'Then I add.'], toolCalls: [{ name: 'add', input: { a: 2, b: 2 } }] },
  { reasoning: ['Done.'], text: '4', usage: { outputTokens: 9, reasoningTokens: 8 } },
];

describe.each(['generateText', 'streamText'] as const)('reasoning by %s', (method) => {
  async function run(store: boolean) {
    wire.reply(...turns);
    const result = await (method === 'generateText'
      ? agent(store).generateText('2 + 2?')
      : (await agent(store).streamText('2 + 2?')).result);
    expect(result).toMatchObject({ text: '4', usage: { reasoningTokens: 8 } });
    return JSON.stringify(wire.requests[1]?.body['input']);
  }

  it('is sent in the second step as a reference to the item that the provider stores', async () => {
    const input = await run(true);

    expect(JSON.parse(input)).toContainEqual({ type: 'item_reference', id: 'rs_1' });
  });

  it('is sent in the second step completely, with encrypted content, if the provider stores nothing', async () => {
    const input = await run(false);

    expect(JSON.parse(input)).toContainEqual({
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: 'encrypted reasoning 1',
      summary: [
        { type: 'summary_text', text: 'First I check.' },
        { type: 'summary_text', text: 'Then I add.' },
      ],
    });
    expect(input.indexOf('rs_1')).toBeLessThan(input.indexOf('call_1_0'));
  });
});

it('emits each part of the reasoning, with the data that the client must send back', async () => {
  wire.reply(...turns);

  const events = await collectEvents(await agent(false).streamText('2 + 2?'));

  const reasoning = events.flatMap((event) => (event.type === 'reasoning-delta' ? [event.delta] : []));
  expect(reasoning.join('')).toBe('First I check.Then I add.Done.');
  expect(events.filter(({ type }) => type === 'reasoning-end')).toContainEqual(
    expect.objectContaining({
      providerMetadata: {
        openai: expect.objectContaining({ itemId: 'rs_1', reasoningEncryptedContent: 'encrypted reasoning 1' }),
      },
    }),
  );
});
