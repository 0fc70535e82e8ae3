import { InvalidInputError } from '@halyard/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BytesInProgress } from '../../admission/bytes-in-progress.ts';
import type { ServerLimits } from '../../admission/limits.ts';
import { invalidRequest } from '../errors/to-failure.ts';
import { sendFailure } from './send-failure.ts';

/**
 * Accepts JSON bodies in UTF-8 only. Refuses a body that is nested deeper, or has more values, than
 * the limits before parsing it: parsing 8 MiB of nested arrays takes more than a second.
 */
export function acceptJsonBodies(
  app: FastifyInstance,
  { jsonDepth, jsonValues }: Pick<ServerLimits, 'jsonDepth' | 'jsonValues'>,
  inProgress: BytesInProgress,
): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addHook('onRequest', refuseEncodedBody);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    inProgress.received(request, bytes.length);
    const body = bytes.toString();
    const { depth, values } = measure(body, jsonDepth);
    // Some clients send the header without a body, with DELETE for example. Validation reports a
    // body that is missing.
    if (body === '') done(null, undefined);
    else if (depth > jsonDepth) done(new InvalidInputError(`body is nested deeper than ${jsonDepth} levels`));
    else if (values > jsonValues)
      done(new InvalidInputError(`body has more than ${jsonValues} values, which is \`limits.jsonValues\``));
    else void parse(request, body, done);
  });
}

/** Replies 415 before a body is read that is compressed, or not in UTF-8. */
function refuseEncodedBody({ headers }: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { 'content-encoding': coding = '', 'content-type': type = '' } = headers;
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!/^(?:identity)?$/i.test(coding.trim())) {
    reply.header('accept-encoding', 'identity');
    refuse('body must be sent without content-encoding');
  } else if (!/^utf-?8$/i.test(charset)) refuse('body must be sent in UTF-8');
  else done();

  function refuse(message: string): void {
    sendFailure(reply, invalidRequest('UNSUPPORTED_MEDIA_TYPE', message, 415));
  }
}

const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket, comma] = Array.from('"\\{[}],', (mark) =>
  mark.charCodeAt(0),
);

/**
 * How deep objects and arrays are nested, up to one level more than `maxDepth`, and how many values
 * there are at most. Malformed JSON is left to the parser.
 */
function measure(json: string, maxDepth: number): { readonly depth: number; readonly values: number } {
  let level = 0;
  let depth = 0;
  // Each value is the whole body, the first of an object or array, or follows a comma.
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (code === openBrace || code === openBracket) {
      values += 1;
      level += 1;
      if (level > depth) depth = level;
      if (depth > maxDepth) break;
    } else if (code === comma) values += 1;
    else if (code === closeBrace || code === closeBracket) level -= 1;
  }
  return { depth, values };
}

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}
