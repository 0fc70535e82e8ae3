import type { JsonObject } from '@halyard/contracts';
import { chatCompletionsApi, chatCompletionsFormat } from './chat-completions-api.ts';
import { embeddingsReply } from './embeddings-api.ts';
import { without } from './json-object.ts';
import { openaiFailure } from './openai-failure.ts';
import { responsesApi, responsesFormat } from './responses-api.ts';
import { createScriptQueue } from './script-queue.ts';
import type { ReplyScript, NoReplyScript, RequestedFormat, StatusScript } from './script.ts';
import { type AnswerFormat, replyAsScripted, troubleReply } from './scripted-endpoint.ts';
import { openWireServer, type WireEndpoint } from './wire-server.ts';
import { createWire, type Wire } from './wire.ts';

export interface OpenaiWire extends Wire<ReplyScript | StatusScript | NoReplyScript> {
  /** The failures of the next requests to `/v1/embeddings`. Requests without one succeed. */
  replyToEmbeddings(...scripts: readonly (StatusScript | NoReplyScript)[]): void;
}

/**
 * A server on 127.0.0.1 that speaks OpenAI's wire format: `POST /v1/responses` and
 * `POST /v1/chat/completions`, streaming or not, answer with the next script; `POST /v1/embeddings`
 * needs no script.
 *
 * ```ts
 * await using wire = await openOpenaiWire();
 * const model = createOpenAI({ baseURL: wire.baseURL, apiKey: 'test' })('gpt-4.1');
 * wire.reply({ toolCalls: [{ name: 'getWeather', input: { city: 'Oslo' } }] }, { text: 'It rains.' });
 * ```
 *
 * A request without a script gets status 400 with a message about it.
 */
export async function openOpenaiWire(): Promise<OpenaiWire> {
  const answers = createScriptQueue<ReplyScript | StatusScript | NoReplyScript>();
  const embeddings = createScriptQueue<StatusScript | NoReplyScript>();

  const generation = (api: AnswerFormat, format: (body: JsonObject) => RequestedFormat | undefined): WireEndpoint => ({
    settings: (body) => without(body, notSettings),
    format,
    reply: (request) => replyAsScripted(answers, api, request),
  });
  const endpoints: Readonly<Record<string, WireEndpoint>> = {
    '/v1/responses': generation(responsesApi, responsesFormat),
    '/v1/chat/completions': generation(chatCompletionsApi, chatCompletionsFormat),
    '/v1/embeddings': {
      settings: (body) => without(body, ['model', 'input', 'encoding_format']),
      reply: (request) => {
        const trouble = embeddings.take(request);
        return trouble === undefined ? embeddingsReply(request.body) : troubleReply(trouble, openaiFailure);
      },
    },
  };

  const server = await openWireServer({
    findEndpoint: (path) => endpoints[path],
    failure: (status, message) => openaiFailure(status, { message }),
  });
  return Object.assign(createWire(server, '/v1', answers), {
    replyToEmbeddings: (...scripts: readonly (StatusScript | NoReplyScript)[]) => embeddings.add(scripts),
  });
}

/** The fields of the body that are not generation settings. */
const notSettings = [
  'model',
  'input',
  'messages',
  'instructions',
  'tools',
  'tool_choice',
  'text',
  'response_format',
  'include',
  'stream',
  'stream_options',
];
