import { messagesApi } from './anthropic-messages-api.ts';
import { without } from './json-object.ts';
import { createScriptQueue } from './script-queue.ts';
import type { ReplyScript, NoReplyScript, StatusScript } from './script.ts';
import { replyAsScripted } from './scripted-endpoint.ts';
import { openWireServer } from './wire-server.ts';
import { createWire, type Wire } from './wire.ts';

/**
 * A server on 127.0.0.1 that answers Anthropic's `POST /v1/messages` with thinking, text, web
 * searches and tool calls, streaming or not.
 *
 * ```ts
 * await using wire = await openAnthropicWire();
 * const model = createAnthropic({ baseURL: wire.baseURL, apiKey: 'test' })('claude-haiku-4-5');
 * wire.reply({ text: 'Hello' });
 * ```
 */
export async function openAnthropicWire(): Promise<Wire<ReplyScript | StatusScript | NoReplyScript>> {
  const answers = createScriptQueue<ReplyScript | StatusScript | NoReplyScript>();
  const server = await openWireServer({
    findEndpoint: (path) =>
      path === '/v1/messages'
        ? {
            settings: (body) => without(body, notSettings),
            reply: (request) => replyAsScripted(answers, messagesApi, request),
          }
        : undefined,
    failure: (status, message) => messagesApi.failure(status, { message }),
  });
  return createWire(server, '/v1', answers);
}

const notSettings = ['model', 'messages', 'system', 'tools', 'tool_choice', 'output_config', 'stream'];
