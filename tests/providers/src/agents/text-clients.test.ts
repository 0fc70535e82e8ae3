import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import * as newest from 'ai';
import * as newest6 from 'ai-6-newest';
import * as oldest6 from 'ai-6-oldest';
import * as oldest from 'ai-oldest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';

/**
 * The AI SDK's clients of texts, in the versions that the support policy names. `useCompletion` is
 * `callCompletionApi` with the state of a page.
 */

const model = scriptedModel({ text: ['Hello', ' there.'] });
let server: HalyardServer;
let origin: string;
beforeAll(async () => {
  server = await createServer({
    limits: unreachableLimits,
    agents: [new Agent({ id: 'greeter', model })],
    logger: false,
  });
  origin = await server.listen({ port: 0 });
});
afterAll(() => server.close());

const versions: Readonly<Record<string, typeof newest>> = {
  '7, newest': newest,
  '7.0.0': oldest as never,
  '6, newest': newest6 as never,
  '6.0.0': oldest6 as never,
};
const headers = { accept: 'text/plain' };
const prompt = (): unknown => model.calls.at(-1)?.prompt.map(({ content, role }) => [role, content]);
const asked = ['user', [{ type: 'text', text: 'Hi' }]];

describe.each(Object.entries(versions))('AI SDK %s', (_, sdk) => {
  async function complete(api: string, streamProtocol: 'data' | 'text'): Promise<[unknown, unknown]> {
    const errors: unknown[] = [];
    const completion = await sdk.callCompletionApi({
      api,
      prompt: 'Hi',
      streamProtocol,
      headers: streamProtocol === 'text' ? headers : {},
      credentials: undefined,
      body: {},
      setCompletion: () => {},
      setLoading: () => {},
      setError: () => {},
      setAbortController: () => {},
      onFinish: undefined,
      onError: (error) => errors.push(error),
      fetch,
    });
    return [completion, errors];
  }

  it('completes a prompt on /chat', async () => {
    expect(await complete(`${origin}/agents/greeter/chat`, 'data')).toEqual(['Hello there.', []]);
    expect(prompt()).toEqual([asked]);
  });

  it('completes a prompt on /stream as text', async () => {
    expect(await complete(`${origin}/agents/greeter/stream`, 'text')).toEqual(['Hello there.', []]);
    expect(prompt()).toEqual([asked]);
  });

  it('chats with a text transport on /stream', async () => {
    const transport = new sdk.TextStreamChatTransport<newest.UIMessage>({
      api: `${origin}/agents/greeter/stream`,
      headers,
    });
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c1',
      messageId: undefined,
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      abortSignal: undefined,
    });
    let text = '';
    for await (const chunk of stream) if (chunk.type === 'text-delta') text += chunk.delta;
    expect(text).toBe('Hello there.');
    expect(prompt()).toEqual([asked]);
  });
});
