const halyard = process.env['HALYARD_URL'] ?? 'http://127.0.0.1:3141';

interface Event {
  readonly request: Request;
  readonly url: URL;
}

/** The answer is a stream, and is passed on as it arrives. */
export async function fallback({ request, url }: Event): Promise<Response> {
  const headers = new Headers();
  for (const name of ['accept', 'authorization', 'content-type', 'last-event-id']) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  // As the browser has encoded it: `params.path` is decoded, and could name another path.
  const path = url.pathname.slice(url.pathname.indexOf('/halyard/') + '/halyard'.length);
  const reply = await fetch(`${halyard}${path}${url.search}`, {
    method: request.method,
    headers,
    body: hasBody ? await request.arrayBuffer() : null,
    signal: request.signal,
  });
  // fetch has undone the encoding.
  const passedOn = new Headers(reply.headers);
  passedOn.delete('content-encoding');
  passedOn.delete('content-length');
  return new Response(reply.body, { status: reply.status, headers: passedOn });
}
