import { chatCompletionsFormat, compatibleApi } from './chat-completions-api.ts';
import { without } from './json-object.ts';
import { openaiFailure } from './openai-failure.ts';
import { createScriptQueue } from './script-queue.ts';
import type { ReplyScript, NoReplyScript, StatusScript } from './script.ts';
import { replyAsScripted } from './scripted-endpoint.ts';
import { openWireServer } from './wire-server.ts';
import { createWire, type Wire } from './wire.ts';

/**
 * A server on 127.0.0.1 that speaks chat completions as other providers do, with reasoning as
 * `reasoning_content`.
 *
 * ```ts
 * await using wire = await openCompatibleWire();
 * const model = createOpenAICompatible({ name: 'other', baseURL: wire.baseURL })('some-model');
 * wire.reply({ reasoning: ['First I think.'], text: 'Hello' });
 * ```
 */
export async function openCompatibleWire(): Promise<Wire<ReplyScript | StatusScript | NoReplyScript>> {
  const answers = createScriptQueue<ReplyScript | StatusScript | NoReplyScript>();
  const server = await openWireServer({
    findEndpoint: (path) =>
      path === '/v1/chat/completions'
        ? {
            settings: (body) => without(body, notSettings),
            format: chatCompletionsFormat,
            reply: (request) => replyAsScripted(answers, compatibleApi, request),
          }
        : undefined,
    failure: (status, message) => openaiFailure(status, { message }),
  });
  return createWire(server, '/v1', answers);
}

const notSettings = ['model', 'messages', 'tools', 'tool_choice', 'response_format', 'stream', 'stream_options'];
