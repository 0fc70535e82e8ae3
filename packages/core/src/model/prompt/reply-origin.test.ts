import { expect, it } from 'vitest';
import type { AssistantPart } from '../providers/model-port.ts';
import { withOrigin, withoutForeignParts } from './reply-origin.ts';

const opus = { provider: 'anthropic.messages', modelId: 'claude-opus' };
const sonnet = { provider: 'anthropic.messages', modelId: 'claude-sonnet' };
const signed: AssistantPart = { type: 'reasoning', text: 'Hm', providerOptions: { anthropic: { signature: 's' } } };
const plain: AssistantPart = { type: 'reasoning', text: 'Hm' };
const text: AssistantPart = { type: 'text', text: 'Yes', providerOptions: { openai: { itemId: 'msg_1' } } };
const call: AssistantPart = {
  type: 'tool-call',
  toolCallId: 'c1',
  toolName: 'look',
  input: {},
  providerOptions: { openai: { itemId: 'fc_1' } },
};
const sentTo = (model: typeof opus, ...content: AssistantPart[]): readonly AssistantPart[] =>
  withoutForeignParts({ role: 'assistant', content }, model).content;

it('sends reasoning back to the model that has written it, without the mark', () => {
  expect(sentTo(opus, ...withOrigin([signed, text, call], opus))).toEqual([signed, text, call]);
});

it('sends another model neither the reasoning nor metadata that may refer to it', () => {
  expect(sentTo(sonnet, ...withOrigin([signed, text, call], opus))).toEqual([
    { type: 'text', text: 'Yes' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} },
  ]);
});

it('leaves reasoning that any model accepts, and that of an unknown model', () => {
  expect(withOrigin([plain], opus)).toEqual([plain]);
  expect(sentTo(sonnet, plain, text)).toEqual([plain, text]);
  expect(sentTo(sonnet, signed, text)).toEqual([signed, text]);
});

it('knows models of another provider with the same name', () => {
  const elsewhere = { ...opus, provider: 'bedrock' };
  expect(sentTo(elsewhere, ...withOrigin([signed, text], opus))).toEqual([{ type: 'text', text: 'Yes' }]);
});

it('sends no call of another provider, nor its result', () => {
  const search: AssistantPart = {
    type: 'tool-call',
    toolCallId: 's1',
    toolName: 'web_search',
    input: {},
    providerExecuted: true,
  };
  const found: AssistantPart = {
    type: 'tool-result',
    toolCallId: 's1',
    toolName: 'web_search',
    output: { type: 'json', value: [] },
  };
  const content = withOrigin([search, found, text, call], opus);
  expect(sentTo(opus, ...content)).toEqual([search, found, text, call]);
  expect(sentTo(sonnet, ...content)).toEqual([
    { type: 'text', text: 'Yes' },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} },
  ]);
});
