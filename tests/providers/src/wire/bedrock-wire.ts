import { converseApi } from './bedrock-converse-api.ts';
import { isJsonObject } from './json-object.ts';
import { createScriptQueue } from './script-queue.ts';
import type { ReplyScript, NoReplyScript, StatusScript } from './script.ts';
import { replyAsScripted } from './scripted-endpoint.ts';
import { openWireServer } from './wire-server.ts';
import { createWire, type Wire } from './wire.ts';

/**
 * A server on 127.0.0.1 that answers Amazon Bedrock's `POST /model/<id>/converse` and
 * `…/converse-stream` with reasoning, text and tool calls. It checks no signatures.
 *
 * ```ts
 * await using wire = await openBedrockWire();
 * const model = createAmazonBedrock({ baseURL: wire.baseURL, apiKey: 'test' })('anthropic.claude-haiku-4-5-20251001-v1:0');
 * wire.reply({ text: 'Hello' });
 * ```
 */
export async function openBedrockWire(): Promise<Wire<ReplyScript | StatusScript | NoReplyScript>> {
  const answers = createScriptQueue<ReplyScript | StatusScript | NoReplyScript>();
  const server = await openWireServer({
    findEndpoint: (path) =>
      /^\/model\/[^/]+\/converse(-stream)?$/.test(path)
        ? {
            settings: ({ inferenceConfig }) => (isJsonObject(inferenceConfig) ? inferenceConfig : {}),
            reply: (request) => replyAsScripted(answers, converseApi, request),
          }
        : undefined,
    failure: (status, message) => converseApi.failure(status, { message }),
  });
  return createWire(server, '', answers);
}
