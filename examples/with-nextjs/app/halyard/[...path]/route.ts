import { readBody } from '../../../src/read-body.ts';
import { sessionToken } from '../../session.ts';

/**
 * The headers that the client and the server exchange. Cookies and other headers of the browser
 * stay here.
 */
const requestHeaders = ['accept', 'content-type', 'last-event-id'];
const answerHeaders = [
  'content-type',
  'cache-control',
  'content-security-policy',
  'x-content-type-options',
  'retry-after',
  'x-error-code',
  'x-request-id',
  'x-execution-id',
];

/**
 * Passes requests of the page on to the Halyard server, with the token of the user. Answers are
 * streamed as they come.
 */
async function forward(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const token = isFromOwnPage(request) ? await sessionToken() : undefined;
  const headers = pick(request.headers, requestHeaders);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  try {
    const body = await readBody(request);
    if (body === undefined) {
      const tooLarge = { status: 413, headers: { 'x-error-code': 'BODY_TOO_LARGE' } };
      return Response.json({ success: false, error: 'The message is too large.' }, tooLarge);
    }
    const answer = await fetch(`${process.env['HALYARD_URL']}${pathname}${search}`, {
      method: request.method,
      headers,
      ...(body.byteLength > 0 && { body }),
      // When the browser disconnects, so does this request.
      signal: request.signal,
      redirect: 'manual',
      cache: 'no-store',
    });
    return new Response(answer.body, { status: answer.status, headers: pick(answer.headers, answerHeaders) });
  } catch {
    const error = 'The harbour desk cannot be reached. Try again in a moment.';
    const unreachable = { status: 503, headers: { 'x-error-code': 'SERVER_UNREACHABLE' } };
    return Response.json({ success: false, error }, unreachable);
  }
}

/**
 * Not from a page of another origin: a subdomain is the same site for cookies. Browsers set this
 * header themselves.
 */
function isFromOwnPage({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  return site === null || site === 'same-origin' || site === 'none';
}

function pick(headers: Headers, names: readonly string[]): Headers {
  return new Headers([...headers].filter(([name]) => names.includes(name)));
}

export { forward as DELETE, forward as GET, forward as PATCH, forward as POST };
