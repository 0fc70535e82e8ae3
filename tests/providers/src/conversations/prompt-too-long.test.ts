import { Agent, createMemory } from '@halyard/core';
import { collectEvents, silentLogger } from '@halyard/core/testing';
import { describe, expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { providers } from '../parity/providers.ts';
import type { ReplyScript, StatusScript, WireError } from '../wire/index.ts';
import { lengthRefusal } from './refusals.ts';

/** The reply of each API to a prompt that has more tokens than the model reads. */
const apis = {
  'OpenAI Responses, stored': {
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    code: 'context_length_exceeded',
  },
  'OpenAI Chat': {
    message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
    code: 'context_length_exceeded',
  },
  Anthropic: { message: 'prompt is too long: 210000 tokens > 200000 maximum', type: 'invalid_request_error' },
  Google: { message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' },
  'OpenAI-compatible': {
    message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    type: 'BadRequestError',
  },
} satisfies Partial<Record<keyof typeof providers, Partial<WireError>>>;

type Api = keyof typeof apis;

describe.each(Object.keys(apis) as Api[])('on %s', (api) => {
  const asStatus: StatusScript = { status: 400, ...apis[api] };
  const asEvent: ReplyScript = { fault: { kind: 'error-event', afterChunks: 0, error: apis[api] } };

  it.each([
    ['a text', asStatus, false],
    ['a stream', asStatus, true],
    ['a stream whose first event says so', asEvent, true],
  ] as const)('a conversation that became too long goes on, as %s', async (_kind, refusal, isStreaming) => {
    await using conversation = await openConversation(api, refusal, { afterTokens: 50_000, keep: 2 });

    expect([await conversation.ask(isStreaming), await conversation.ask(isStreaming)]).toEqual(['Fine.', 'Fine.']);
  });

  it('an agent without compaction learns why it cannot go on', async () => {
    await using conversation = await openConversation(api, asStatus);

    expect(await conversation.ask(false)).toEqual('PROMPT_TOO_LONG');
    expect(conversation.requests()).toBe(1);
  });
});

/** A conversation of 20 long exchanges with a model that reads half of them. */
async function openConversation(
  api: Api,
  refusal: ReplyScript | StatusScript,
  compaction?: { readonly afterTokens: number; readonly keep: number },
) {
  const { model, open, providerOptions } = providers[api];
  const wire = await open();
  const refuse = lengthRefusal(8000);
  wire.replyAlways((request) => (refuse(request) === undefined ? { text: 'Fine.' } : refusal));
  const memory = createMemory({ titles: false, contextLimit: 100 });
  await memory.create({ id: 'c', userId: 'u', resourceId: 'a', title: '', metadata: {} });
  const parts = [{ type: 'text' as const, text: 'word '.repeat(60) }];
  for (let index = 0; index < 20; index += 1)
    await memory.save({ user: 'u' }, 'c', [
      { id: `q${index}`, role: 'user', parts },
      { id: `a${index}`, role: 'assistant', parts },
    ]);
  const agent = new Agent({
    id: 'a',
    model: model(wire.baseURL),
    memory,
    generation: { ...unset, providerOptions },
    retries: { maxRetries: 0 },
    ...(compaction && { compaction }),
  });
  const options = { userId: 'u', conversationId: 'c', services: { logger: silentLogger } };
  return {
    requests: () => wire.requests.length,
    ask: async (isStreaming: boolean): Promise<unknown> => {
      const code = (error: { readonly code?: unknown }): unknown => error.code ?? error;
      if (!isStreaming) return agent.generateText('Now?', options).then(({ text }) => text, code);
      const stream = await agent.streamText('Now?', options);
      await collectEvents(stream);
      return stream.result.then(({ text }) => text, code);
    },
    [Symbol.asyncDispose]: () => wire.close(),
  };
}
