/** The parts that every reply of a Halyard server must have, whatever the request. */

/** A stack, a path of the server, an error of a driver or of the engine. */
const internals =
  /\n\s+at .+:\d+:\d+|node_modules|node:internal|\/(?:packages|src)\/[\w./-]+\.[cm]?[jt]s|hunter2|\b(?:Type|Range|Syntax|Reference)Error\b|ECONNREFUSED|FST_ERR|\bSELECT .+ FROM\b/;

/** The sign of internals in a text. @param sent what the client sent, which may be quoted. */
export function internalsIn(text: string, sent = ''): string | undefined {
  const found = internals.exec(text)?.[0];
  return found === undefined || sent.includes(found) ? undefined : `reveals internals: ${JSON.stringify(found)}`;
}

export interface CheckedReply {
  readonly status: number | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * The fault of a reply that is not described further: no reply, no `x-request-id`, a failure
 * without the envelope, or a server error other than a named failure of the app (500 with a code)
 * and a refusal under load (503 with `Retry-After`).
 */
export function envelopeFault({ body, headers, status }: CheckedReply, method = 'GET'): string | undefined {
  if (status === undefined) return 'no reply';
  if (!headers.has('x-request-id') && status !== 101) return `${status} without x-request-id`;
  if (status < 400) return undefined;
  const code = headers.get('x-error-code');
  if (code === undefined) return `${status} without x-error-code`;
  if (status >= 500 && !isPermitted(status, code, headers)) return `${status} ${code}: ${body.slice(0, 300)}`;
  if (method === 'HEAD' || body === '') return undefined;
  // The page of an answer link is for a person, also where it says that the link is not valid.
  const isPage = headers.get('content-type')?.startsWith('text/html') === true && code.startsWith('APPROVAL_');
  return isPage || isFailure(body) ? internalsIn(body) : `${status} without the envelope: ${body.slice(0, 200)}`;
}

function isPermitted(status: number, code: string, headers: ReadonlyMap<string, string>): boolean {
  return (status === 500 && code !== 'INTERNAL') || (status === 503 && headers.has('retry-after'));
}

function isFailure(body: string): boolean {
  try {
    const { error, success } = JSON.parse(body) as { readonly success?: unknown; readonly error?: unknown };
    return success === false && typeof error === 'string' && error !== '';
  } catch {
    return false;
  }
}
