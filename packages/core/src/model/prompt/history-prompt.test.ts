import type { Message, MessagePart } from '@halyard/contracts';
import { convertToModelMessages, type ModelMessage, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { Random } from '../../workflow/testing/random.ts';
import type { FetchFile } from '../files/file-part.ts';
import { toUiMessages } from '../messages/to-ui-messages.ts';
import type { PromptMessage } from '../providers/model-port.ts';
import { historyPrompt } from './history-prompt.ts';
import { toPrompt } from './to-prompt.ts';

const noFile: FetchFile = () => Promise.reject(new TypeError('a test has no files'));
const metadata = { p: { id: 'x' } };

function randomText(random: Random): MessagePart {
  const text = random.pick(['', 'Hello.', ' ', 'So?\n']);
  const providerData = random.chance(0.1) ? { providerMetadata: metadata } : {};
  return random.chance(0.5)
    ? { type: 'text', text, state: 'done', ...providerData }
    : { type: 'text', text, ...providerData };
}

function randomPart(random: Random, role: string, isPlain: boolean, id: string): MessagePart {
  if (role === 'assistant' && random.chance(0.3)) return { type: 'step-start' };
  if (isPlain || role === 'user' || random.chance(0.4)) return randomText(random);
  const call = { type: 'tool-look', toolCallId: id, input: { at: 1 } } as const;
  return random.pick<MessagePart>([
    { type: 'reasoning', text: 'Hm.', providerMetadata: metadata },
    { type: 'source-url', sourceId: 's', url: 'https://example.com' },
    { type: 'data-note', data: 1 },
    { ...call, state: 'input-available' },
    { ...call, state: 'output-available', output: 'seen' },
    { ...call, state: 'output-error', errorText: 'broken' },
    { ...call, state: 'approval-requested', approval: { id: 'a' } },
    { ...call, state: 'output-denied', approval: { id: 'a', approved: false } },
    { ...call, state: 'output-available', output: [1], providerExecuted: true },
  ]);
}

function randomHistory(seed: number): Message[] {
  const random = new Random(seed);
  const isPlain = random.chance(0.6);
  return Array.from({ length: random.below(6) }, (_message, index) => {
    const role = random.pick(['user', 'assistant'] as const);
    const parts = Array.from({ length: random.below(5) }, (_part, at) =>
      randomPart(random, role, isPlain, `${index}-${at}`),
    );
    return { id: String(index), role, parts };
  });
}

/** Without undefined fields, which providers never receive. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function withoutLastReasoning(message: PromptMessage): PromptMessage {
  if (message.role !== 'assistant') return message;
  const last = message.content.findLastIndex(({ type }) => type !== 'reasoning');
  return { ...message, content: message.content.slice(0, last + 1) };
}

/**
 * One by one: the AI SDK leaves out approval requests before a message of the user, and their
 * reasoning stays without its call.
 */
async function convertEach(history: readonly Message[]): Promise<ModelMessage[]> {
  const converted = await Promise.all(history.map((message) => convertToModelMessages([message as UIMessage])));
  return converted.flat();
}

it('equals the AI SDK’s conversion of each message, without reasoning that nothing follows', async () => {
  for (let seed = 0; seed < 2000; seed += 1) {
    const history = randomHistory(seed);
    const prompt = await toPrompt(await convertEach(history), new Set(), noFile);
    const expected = prompt.map(withoutLastReasoning).filter(({ content }) => content.length > 0);

    expect(asJson(await historyPrompt(history, noFile)), `seed ${seed}`).toEqual(asJson(expected));
  }
});

it('makes each step of an answer a message', async () => {
  const history: Message[] = [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    {
      id: 'a',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'text', text: 'Hello.', state: 'done' },
        { type: 'step-start' },
        { type: 'text', text: '' },
        { type: 'step-start' },
        { type: 'text', text: 'Bye.' },
      ],
    },
  ];

  expect(await historyPrompt(history, noFile)).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Bye.' }] },
  ]);
});

it('leaves out a message that cannot be read, and no other', async () => {
  const unreadable = { id: 'x', role: 'assistant', parts: [{ type: 'steering-message', id: 's' }] } as unknown;
  const history = [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    unreadable,
    { id: 'b', role: 'assistant', parts: [{ type: 'text', text: 'Hm.', providerMetadata: metadata }] },
  ] as Message[];

  expect((await historyPrompt(history, noFile)).map(({ role }) => role)).toEqual(['user', 'assistant']);
});

it('leaves out reasoning that was aborted before the text or the call that it led to', async () => {
  const reasoning: MessagePart = { type: 'reasoning', text: 'Hm.', providerMetadata: { openai: { itemId: 'rs_1' } } };
  const call: MessagePart = { type: 'tool-look', toolCallId: 'c', state: 'input-available', input: {} };
  const history: Message[] = [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, reasoning, call, { type: 'step-start' }, reasoning] },
  ];

  const [, answer, result, ...more] = await historyPrompt(history, noFile);

  expect(answer?.content).toMatchObject([{ type: 'reasoning' }, { type: 'tool-call' }]);
  expect(result?.content).toMatchObject([{ toolCallId: 'c', output: { type: 'error-text' } }]);
  expect(more).toEqual([]);
});

describe('toUiMessages', () => {
  it('keeps everything that the reverse conversion needs', async () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const converted = await convertEach(randomHistory(seed));
      // Answers to approvals belong to requests, and results of the provider are in the same
      // message.
      const there = toUiMessages(converted, String);
      const back = await convertEach(there);

      const prompts = await Promise.all([converted, back].map((messages) => toPrompt(messages, new Set(), noFile)));
      expect(asJson(prompts[1]), `seed ${seed}`).toEqual(asJson(prompts[0]));
    }
  });
});
