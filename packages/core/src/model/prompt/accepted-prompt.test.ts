import { expect, it } from 'vitest';
import type { AssistantPart, Prompt, PromptMessage } from '../providers/model-port.ts';
import { acceptedPrompt } from './accepted-prompt.ts';

const anthropic = { provider: 'anthropic.messages', modelId: 'claude' };
const bedrock = { provider: 'amazon-bedrock', modelId: 'claude' };
const openai = { provider: 'openai.responses', modelId: 'gpt' };
const user = (text: string): PromptMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (...content: AssistantPart[]): PromptMessage => ({ role: 'assistant', content });
const text = (value: string, itemOf?: string): AssistantPart => ({
  type: 'text',
  text: value,
  ...(itemOf !== undefined && { providerOptions: { [itemOf]: { itemId: 'msg_1' } } }),
});
const reasoning: AssistantPart = { type: 'reasoning', text: 'Hm' };
const call: AssistantPart = { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} };
const search: AssistantPart = { ...call, providerExecuted: true };
const found: AssistantPart = {
  type: 'tool-result',
  toolCallId: 'c1',
  toolName: 'look',
  output: { type: 'json', value: [] },
};

it('leaves a prompt that all providers accept as it is', () => {
  const prompt: Prompt = [
    { role: 'system', content: 'Be brief.' },
    user('Hi'),
    assistant(reasoning, text('Hello'), text('\n\n'), text('there'), search, found, call),
    { role: 'tool', content: [found] },
    assistant(text('Bye')),
    user('So?'),
  ];

  expect(acceptedPrompt(prompt, anthropic)).toEqual(prompt);
});

it.each([
  ['a blank text', assistant(text('\n\n'))],
  ['reasoning', assistant(reasoning)],
  ['reasoning and a blank text', assistant(reasoning, text(' '))],
  ['a blank text of another provider', assistant(reasoning, text(' ', 'openai'))],
  ['the start of a response', assistant({ type: 'custom', kind: 'anthropic.message_start' })],
  ['a question without content', { role: 'user', content: [] } satisfies PromptMessage],
  ['a blank question', user(' ')],
  ['no results', { role: 'tool', content: [] } satisfies PromptMessage],
  ['blank instructions', { role: 'system', content: '' } satisfies PromptMessage],
  ['a search without a result', assistant(search)],
])('leaves out a message that has only %s', (_content, message) => {
  expect(acceptedPrompt([user('Hi'), message, user('So?')], anthropic)).toEqual([user('Hi'), user('So?')]);
});

it('sends a call without the blank text before it', () => {
  const prompt = [user('Hi'), assistant(text('\n\n'), call), { role: 'tool', content: [found] } as const] as Prompt;

  expect(acceptedPrompt(prompt, anthropic)).toEqual([user('Hi'), assistant(call), prompt[2]]);
});

it('leaves out each blank text for Bedrock, also in questions and results', () => {
  const image = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } } as const;
  const blank = { type: 'text', text: ' ' } as const;
  const result = (...value: (typeof blank | typeof image)[]): PromptMessage => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'content', value } }],
  });
  const prompt: Prompt = [
    { role: 'user', content: [blank, { type: 'text', text: 'Hi' }] },
    assistant(reasoning, text('Hello'), text('\n\n'), text('there'), call),
    result(blank, image),
  ];

  expect(acceptedPrompt(prompt, bedrock)).toEqual([
    user('Hi'),
    assistant(reasoning, text('Hello'), text('there'), call),
    result(image),
  ]);
  expect(acceptedPrompt(prompt, anthropic)).toEqual(prompt);
});

it('leaves out an answer of files for Bedrock, whose package sends none', () => {
  const file: AssistantPart = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } };
  const prompt = [user('Hi'), assistant(file), user('So?'), assistant(text('Here.'), file), user('And?')];

  expect(acceptedPrompt(prompt, bedrock)).toEqual(prompt.toSpliced(1, 1));
  expect(acceptedPrompt(prompt, anthropic)).toEqual(prompt);
});

it('keeps an empty text that the provider refers to', () => {
  const prompt = [user('Hi'), assistant(reasoning, text('', 'openai')), user('So?')];

  expect(acceptedPrompt(prompt, openai)).toEqual(prompt);
});

it('keeps the searches of this turn, whose results may still come, and those that a person has answered', () => {
  const current = [user('Hi'), assistant(text('I look.'), search)];
  const approved: Prompt = [
    user('Hi'),
    assistant(search),
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'r1', approved: false }] },
    user('So?'),
  ];
  const later = [user('Hi'), assistant(search, call), assistant(found), user('So?')];

  expect(acceptedPrompt(current, anthropic)).toEqual(current);
  expect(acceptedPrompt(approved, openai)).toEqual(approved);
  expect(acceptedPrompt(later, anthropic)).toEqual(later);
});

it('begins with the user, and keeps the first message of the assistant', () => {
  const instructions: PromptMessage = { role: 'system', content: 'Be brief.' };
  const greeting = assistant(text('How can I help?'));
  const note = user('[The assistant begins the conversation.]');

  expect(acceptedPrompt([instructions, greeting, user('Hi')], anthropic)).toEqual([
    instructions,
    note,
    greeting,
    user('Hi'),
  ]);
  expect(acceptedPrompt([user(' '), greeting, user('Hi')], anthropic)).toEqual([note, greeting, user('Hi')]);
});
