import { Agent, createMemory } from '@halyard/core';
import { scriptedModel, silentLogger } from '@halyard/core/testing';
import { createServer, type HalyardServer } from '@halyard/server-fastify';
import * as newest from 'ai';
import * as newest6 from 'ai-6-newest';
import * as oldest6 from 'ai-6-oldest';
import * as oldest from 'ai-oldest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';

/** Chats with photos, in the versions of the AI SDK that the support policy names. */

const model = scriptedModel('I see.');
let server: HalyardServer;
let api: string;
beforeAll(async () => {
  const memory = createMemory({ logger: silentLogger, limits: { pageBytes: 32 * 1024 * 1024 } });
  server = await createServer({
    limits: unreachableLimits,
    agents: [new Agent({ id: 'viewer', model, memory })],
    logger: false,
  });
  api = `${await server.listen({ port: 0 })}/agents/viewer/chat`;
});
afterAll(() => server.close());

const url = `data:image/png;base64,${Buffer.alloc(3_000_000, 1).toString('base64')}`;
const newestOnly: newest.PrepareSendMessagesRequest<newest.UIMessage> = ({
  body,
  id,
  messageId,
  messages,
  trigger,
}) => ({ body: { ...body, id, messages: messages.slice(-1), messageId, trigger } });

const versions: Readonly<Record<string, typeof newest>> = {
  '7, newest': newest,
  '7.0.0': oldest as never,
  '6, newest': newest6 as never,
  '6.0.0': oldest6 as never,
};

describe.each(Object.entries(versions))('a chat of AI SDK %s', (version, sdk) => {
  /** Sends three photos and a text, as `useChat` does. */
  async function chat(chatId: string, prepare?: typeof newestOnly): Promise<string> {
    const transport = new sdk.DefaultChatTransport<newest.UIMessage>({
      api,
      ...(prepare && { prepareSendMessagesRequest: prepare }),
    });
    let messages: newest.UIMessage[] = [];
    for (const id of ['m1', 'm2', 'm3', 'm4']) {
      const file = { type: 'file' as const, mediaType: 'image/png', url };
      const parts = id === 'm4' ? [{ type: 'text' as const, text: 'Thanks' }] : [file];
      messages = [...messages, { id: `${chatId}-${id}`, role: 'user', parts }];
      const sent = { trigger: 'submit-message' as const, chatId, messageId: undefined, abortSignal: undefined };
      const stream = await transport.sendMessages({ ...sent, messages });
      let answer: newest.UIMessage | undefined;
      for await (const state of sdk.readUIMessageStream({ stream })) answer = state;
      messages = [...messages, answer ?? expect.fail('the stream had no message')];
    }
    return 'sent';
  }

  const id = version.replaceAll(/[^\w.-]/g, '_');

  it('sends any number of photos with the newest message only', async () => {
    expect(await chat(id, newestOnly)).toBe('sent');
    const parts = (model.calls.at(-1)?.prompt ?? []).flatMap(({ content, role }) => (role === 'user' ? content : []));
    expect(parts.map(({ type }) => type)).toEqual(['file', 'file', 'file', 'text']);
  });

  it('learns what to do when it sends all of them', async () => {
    await expect(chat(`${id}-all`)).rejects.toThrow(
      'body is too large: at most 8 MiB. In a stored conversation, send only the newest message instead of all',
    );
  });
});
