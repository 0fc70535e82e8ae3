import type { MessagePart } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { toModelMessages } from './to-model-messages.ts';

const itemId = (id: string) => ({ openai: { itemId: id } });
const whole: readonly MessagePart[] = [
  { type: 'step-start' },
  { type: 'reasoning', text: 'Hm', state: 'done', providerMetadata: itemId('rs_1') },
  { type: 'text', text: 'Yes.', state: 'done', providerMetadata: itemId('msg_1') },
];
const answer = (...parts: readonly MessagePart[]) =>
  toModelMessages([{ role: 'assistant', parts: [...whole, ...parts] }]);
const sent = [
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm', providerOptions: itemId('rs_1') },
      { type: 'text', text: 'Yes.', providerOptions: itemId('msg_1') },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Half' }] },
];

it('is sent as plain text where a client has it as it was streamed', async () => {
  expect(
    await answer(
      { type: 'step-start' },
      { type: 'reasoning', text: 'So', state: 'done', providerMetadata: itemId('rs_2') },
      { type: 'text', text: 'Half', state: 'streaming', providerMetadata: itemId('msg_2') },
    ),
  ).toEqual(sent);
});

it('is sent as plain text where it was stored', async () => {
  const cut = { halyard: { cut: true } };
  const search = { type: 'tool-search', toolCallId: 's1', input: {}, providerExecuted: true } as const;
  expect(
    await answer(
      { type: 'step-start' },
      { type: 'reasoning', text: 'So', state: 'done', providerMetadata: cut },
      { ...search, state: 'output-available', output: [], callProviderMetadata: cut },
      { type: 'text', text: 'Half', state: 'done' },
    ),
  ).toEqual(sent);
});

it.each([
  { state: 'input-streaming', input: { city: 'Os' } },
  { state: 'input-streaming', input: { city: 'Os' }, providerExecuted: true },
] as const)('is sent as plain text where a client has a call as it was streamed: %o', async (call) => {
  expect(
    await answer(
      { type: 'step-start' },
      { type: 'reasoning', text: 'So', state: 'done', providerMetadata: itemId('rs_2') },
      { type: 'text', text: 'Half', state: 'done', providerMetadata: itemId('msg_2') },
      { type: 'tool-look', toolCallId: 'c1', ...call },
    ),
  ).toEqual(sent);
});

it('is sent without metadata of the provider where a client has a call that the run has ended', async () => {
  const call = { type: 'tool-look', toolCallId: 'c1', input: {}, state: 'output-error', errorText: 'Cut' } as const;
  expect(
    await answer(
      { type: 'step-start' },
      { type: 'reasoning', text: 'So', state: 'done', providerMetadata: itemId('rs_2') },
      { type: 'text', text: 'Half', state: 'done', providerMetadata: itemId('msg_2') },
      { ...call, callProviderMetadata: itemId('fc_2'), resultProviderMetadata: { halyard: { cut: true } } },
    ),
  ).toEqual([
    sent[0],
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Half' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'error-text', value: 'Cut' } },
      ],
    },
  ]);
});
