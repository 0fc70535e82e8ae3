import type { JsonObject, JsonValue } from '@halyard/contracts';
import type { RecordedRequest } from './recorded-request.ts';
import type { ScriptQueue } from './script-queue.ts';
import type { ReplyScript, NoReplyScript, StatusScript, WireError } from './script.ts';
import type { EventStream, WireReply } from './send-reply.ts';

/** How one API of a provider writes answers and failures. */
export interface AnswerFormat {
  readonly isStreaming: (request: RecordedRequest) => boolean;
  readonly stream: (script: ReplyScript, request: RecordedRequest) => EventStream;
  readonly complete: (script: ReplyScript, request: RecordedRequest) => JsonObject;
  readonly failure: (status: number, error: Partial<WireError>) => JsonValue;
}

/** Answers a request with the next script of the queue. */
export function replyAsScripted(
  queue: ScriptQueue<ReplyScript | StatusScript | NoReplyScript>,
  api: AnswerFormat,
  request: RecordedRequest,
): WireReply {
  let script: ReplyScript | StatusScript | NoReplyScript | undefined;
  try {
    script = queue.take(request);
  } catch (error) {
    return refuse(api, `The function that chooses the script failed: ${String(error)}`);
  }
  if (script === undefined) {
    return refuse(api, `No script is left for request ${request.number} (${request.path}): call reply() first.`);
  }
  if (script.noAnswer !== undefined || script.status !== undefined) return troubleReply(script, api.failure);
  if (script.object !== undefined && request.format === undefined) {
    return refuse(api, 'The script has an object, but the request did not ask for a JSON schema.');
  }

  const { fault, delayMs } = script;
  if (api.isStreaming(request)) {
    return {
      kind: 'events',
      stream: api.stream(script, request),
      ...(delayMs && { delayMs }),
      ...(fault && { fault }),
    };
  }
  if (fault?.kind === 'error-event') return troubleReply({ status: 500, ...fault.error }, api.failure);
  return { kind: 'json', status: 200, body: api.complete(script, request), ...(fault && { fault }) };
}

/** An error status, or no answer. */
export function troubleReply(script: StatusScript | NoReplyScript, failure: AnswerFormat['failure']): WireReply {
  if (script.noAnswer !== undefined) return { kind: 'none', ending: script.noAnswer };
  const { status, retryAfter, headers, noAnswer: _, ...error } = script;
  return {
    kind: 'json',
    status,
    headers: { ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }), ...headers },
    body: failure(status, error),
  };
}

/** 400, which clients do not retry: a test with a missing script fails at once with the reason. */
function refuse({ failure }: Pick<AnswerFormat, 'failure'>, message: string): WireReply {
  return { kind: 'json', status: 400, body: failure(400, { message, code: 'wire_script' }) };
}
