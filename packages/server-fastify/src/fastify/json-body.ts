import { InvalidInputError } from '@halyard/contracts';
import type { FastifyInstance } from 'fastify';

/** Accepts JSON bodies only. Refuses a body that is nested deeper than `depth` before parsing it. */
export function acceptJsonBodies(app: FastifyInstance, depth: number): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Some clients send the header without a body, with DELETE for example. Validation reports a body that is missing.
    if (body === '') done(null, undefined);
    else if (isDeeper(body, depth)) done(new InvalidInputError(`body is nested deeper than ${depth} levels`));
    else void parse(request, body, done);
  });
}

const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket] = Array.from('"\\{[}]', (mark) =>
  mark.charCodeAt(0),
);

/** Whether objects and arrays are nested deeper than `depth`. Malformed JSON is left to the parser. */
function isDeeper(json: string, depth: number): boolean {
  let level = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if (code === openBrace || code === openBracket) {
      level += 1;
      if (level > depth) return true;
    } else if (code === closeBrace || code === closeBracket) level -= 1;
  }
  return false;
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
