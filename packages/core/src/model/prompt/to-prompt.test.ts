import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { InvalidInputError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { Agent } from '../../agent/agent.ts';
import { scriptedModel, silentLogger } from '../../testing/index.ts';
import type { AgentInput } from '../messages/message.ts';
import { missingResultText } from './missing-result.ts';

const fetched: string[] = [];
const services = {
  logger: silentLogger,
  downloadFile: async (url: string) => {
    if (url.includes('private')) throw new InvalidInputError('not accepted', { code: 'FILE_NOT_ACCEPTED' });
    fetched.push(url);
    return { data: new Uint8Array([1, 2, 3]), mediaType: 'image/webp' };
  },
};

async function promptOf(input: AgentInput) {
  const model = scriptedModel('Hi');
  await new Agent({ id: 'a', model }).generateText(input, { services });
  return model.calls[0]?.prompt;
}

it('accepts files as base64, bytes and data: URLs without fetching', async () => {
  fetched.length = 0;
  const prompt = await promptOf([
    {
      role: 'user',
      content: [
        { type: 'file', mediaType: 'application/pdf', data: 'AQID', filename: 'a.pdf' },
        { type: 'file', mediaType: 'image/png', data: new Uint8Array([4]) },
        { type: 'image', image: 'data:image/gif;base64,AQID' },
        { type: 'file', mediaType: 'image/*', data: new URL('data:image/gif;base64,AQID') },
        { type: 'text', text: '' },
      ],
    },
  ]);

  expect(prompt?.[0]?.content).toEqual([
    { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'AQID' }, filename: 'a.pdf' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([4]) } },
    { type: 'file', mediaType: 'image/gif', data: { type: 'data', data: 'AQID' } },
    { type: 'file', mediaType: 'image/gif', data: { type: 'data', data: 'AQID' } },
  ]);
  expect(fetched).toEqual([]);
});

it('fetches files that a message refers to, in both forms of messages', async () => {
  fetched.length = 0;
  const data = { type: 'data', data: new Uint8Array([1, 2, 3]) };

  const ui = await promptOf([
    { role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' }] },
  ]);
  const model = await promptOf([{ role: 'user', content: [{ type: 'image', image: 'https://example.com/b' }] }]);

  expect(ui?.[0]?.content).toEqual([{ type: 'file', mediaType: 'image/png', data }]);
  expect(model?.[0]?.content).toEqual([{ type: 'file', mediaType: 'image/webp', data }]);
  expect(fetched).toEqual(['https://example.com/a.png', 'https://example.com/b']);
});

it('refuses a request whose file is not accepted', async () => {
  const fileAt = (data: string): AgentInput => [
    { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] },
  ];

  await expect(promptOf(fileAt('https://private.example/'))).rejects.toMatchObject({ code: 'FILE_NOT_ACCEPTED' });
  await expect(promptOf(fileAt('data:broken'))).rejects.toMatchObject({ code: 'FILE_NOT_ACCEPTED' });
  await expect(
    promptOf([{ role: 'user', content: [{ type: 'file', mediaType: 'image/png' }] }] as never),
  ).rejects.toMatchObject({ code: 'FILE_NOT_ACCEPTED' });
});

it('keeps calls without a result, and tells the model that they were not answered', async () => {
  const call = (toolCallId: string) => ({ type: 'tool-call' as const, toolCallId, toolName: 'look', input: {} });
  const reasoning = { type: 'reasoning' as const, text: 'Hm.', providerOptions: { openai: { itemId: 'rs_1' } } };
  const seen = {
    type: 'tool-result' as const,
    toolCallId: 'answered',
    toolName: 'look',
    output: { type: 'text' as const, value: 'seen' },
  };
  const prompt = await promptOf([
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: [reasoning, call('lost')] },
    { role: 'assistant', content: [reasoning, call('lost too'), call('answered')] },
    { role: 'tool', content: [seen] },
    { role: 'user', content: 'And?' },
  ]);

  const notAnswered = (toolCallId: string) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'look',
    output: { type: 'error-text', value: missingResultText },
  });
  expect(prompt?.slice(1, -1)).toEqual([
    { role: 'assistant', content: [reasoning, call('lost')] },
    { role: 'tool', content: [notAnswered('lost')] },
    { role: 'assistant', content: [reasoning, call('lost too'), call('answered')] },
    { role: 'tool', content: [seen, notAnswered('lost too')] },
  ]);
});

it('keeps the call of an approval request that the user ignored', async () => {
  const call = { toolCallId: 'c1', input: {}, state: 'approval-requested', approval: { id: 'p1' } } as const;
  const prompt = await promptOf([
    { role: 'user', parts: [{ type: 'text', text: 'Pay' }] },
    { role: 'assistant', parts: [{ type: 'tool-pay', ...call }] },
    { role: 'user', parts: [{ type: 'text', text: 'Never mind' }] },
  ]);

  expect(prompt?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(prompt?.[2]?.content).toMatchObject([{ toolCallId: 'c1', output: { value: missingResultText } }]);
});

it('keeps reasoning and provider data of earlier turns', async () => {
  const providerOptions = { anthropic: { signature: 's' } };

  const prompt = await promptOf([
    { role: 'user', parts: [{ type: 'text', text: 'Go' }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'Hm.', providerMetadata: providerOptions },
        { type: 'text', text: 'Yes.', providerMetadata: providerOptions },
        {
          type: 'tool-look',
          toolCallId: 'c',
          state: 'output-available',
          input: {},
          output: { a: 1 },
          callProviderMetadata: providerOptions,
        },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'And?' }] },
  ]);

  expect(prompt?.[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', providerOptions },
      { type: 'text', text: 'Yes.', providerOptions },
      { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {}, providerOptions },
    ],
  });
});

it('converts thousands of messages in several turns of the event loop', async () => {
  let turns = 0;
  let isOver = false;
  const counting = (async () => {
    for (; !isOver; turns += 1) await yieldToEventLoop();
  })();
  const ui = Array.from({ length: 3_001 }, (_, index) => ({
    id: `m${index}`,
    role: 'user' as const,
    parts: [{ type: 'text' as const, text: `${index}` }],
  }));

  const prompt = await promptOf(ui);
  isOver = true;
  await counting;

  expect(prompt?.map(({ content }) => content)).toEqual(ui.map(({ parts }) => parts));
  // Seven for model messages of the input, three for the prompt.
  expect(turns).toBeGreaterThanOrEqual(10);
});
