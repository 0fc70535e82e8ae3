import { sessionToken } from '../../session.ts';

/** What the client and the server tell each other. Cookies and other headers of the browser stay here. */
const requestHeaders = ['accept', 'content-type', 'last-event-id'];
const answerHeaders = [
  'content-type',
  'cache-control',
  'retry-after',
  'x-error-code',
  'x-request-id',
  'x-execution-id',
];

/** Passes requests of the page on to the Halyard server, with the token of the user. Answers are streamed as they come. */
async function forward(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const token = await sessionToken();
  const headers = pick(request.headers, requestHeaders);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  try {
    const body = await request.arrayBuffer();
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

function pick(headers: Headers, names: readonly string[]): Headers {
  return new Headers([...headers].filter(([name]) => names.includes(name)));
}

export { forward as DELETE, forward as GET, forward as PATCH, forward as POST };
