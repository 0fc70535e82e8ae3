import { InvalidInputError } from '@halyard/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BytesInProgress } from '../../admission/bytes-in-progress.ts';
import type { Limits } from '../../admission/limits.ts';
import { invalidRequest } from '../../errors/to-failure.ts';
import { type Part, TurnByTurn } from '../connections/turn-by-turn.ts';
import { sendFailure } from './send-failure.ts';

/** From this length on, each body is read in turns of its own: reading and validating several in one, or using one as well, would delay all other requests. */
const largeLength = 8 * 1024;

/** The limit of the number of values in the bodies of a route. */
type ValuesLimit = 'jsonValues' | 'agentJsonValues' | 'messagesJsonValues';

const valuesLimit = Symbol('halyard.valuesLimit');

/** The config of a route whose bodies have another limit than `jsonValues`. */
export function limitsValues(by: ValuesLimit): object {
  return { [valuesLimit]: by };
}

function valuesLimitOf({ routeOptions }: FastifyRequest): ValuesLimit {
  return (Reflect.get(routeOptions.config, valuesLimit) as ValuesLimit | undefined) ?? 'jsonValues';
}

/** Accepts JSON bodies in UTF-8 only. Refuses a body that is nested deeper, or has more values, than the limits before parsing it. */
export function acceptJsonBodies(
  app: FastifyInstance,
  limits: Pick<Limits, 'jsonDepth' | ValuesLimit>,
  inProgress: BytesInProgress,
): void {
  const { jsonDepth } = limits;
  const parse = app.getDefaultJsonParser('error', 'error');
  const turns = new TurnByTurn();
  const large = new WeakSet<FastifyRequest>();
  app.addHook('onRequest', refuseEncodedBody);
  // Validating a large body takes time, and so does what follows.
  app.addHook('preHandler', (request, _reply, done) => {
    if (large.has(request)) setImmediate(done);
    else done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    inProgress.received(request, bytes.length);
    const decode = (): Part => {
      const body = bytes.toString();
      return () => check(body);
    };
    const check = (body: string): Part => {
      const { depth, values } = measure(body, jsonDepth);
      if (depth > jsonDepth) return finish(new InvalidInputError(`body is nested deeper than ${jsonDepth} levels`));
      const limit = valuesLimitOf(request);
      if (values > limits[limit])
        return finish(
          new InvalidInputError(`body has more than ${limits[limit]} values, which is \`limits.${limit}\``),
        );
      return () => read(body);
    };
    const read = (body: string): Part => {
      const plain = parsePlain(body);
      if (plain !== undefined) return finish(null, plain.value);
      return () => void parse(request, body, done);
    };
    // Validation follows.
    const finish = (error: Error | null, value?: unknown): Part => {
      return () => {
        done(error, value);
        return undefined;
      };
    };

    // Some clients send the header without a body, with DELETE for example. Validation reports a body that is missing.
    if (bytes.length === 0) done(null, undefined);
    else if (bytes.length >= largeLength) {
      large.add(request);
      turns.add(decode);
    } else for (let part: Part | undefined = decode; part !== undefined;) part = part();
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

/** In each body with a property that the parser refuses: `__proto__` or `constructor`, also written with escapes. */
const suspicious = /__proto__|constructor|\\u/;

/** Undefined for a body that Fastify's parser has to judge. Its search takes 20 ms for 8 MiB, this one 5 ms. */
function parsePlain(body: string): { readonly value: unknown } | undefined {
  if (suspicious.test(body)) return undefined;
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
}

const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket, comma] = Array.from('"\\{[}],', (mark) =>
  mark.charCodeAt(0),
);

/**
 * How deep objects and arrays are nested, up to one level more than `maxDepth`, and how many values there are at most. Malformed JSON is
 * left to the parser.
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
