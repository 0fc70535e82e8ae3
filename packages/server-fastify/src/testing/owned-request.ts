/** A request before it is sent. */
export interface OwnedRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The headers of a verified user, or of a developer without a user, with the console key. */
export function credentialsOf(as: string | undefined): Readonly<Record<string, string>> {
  return {
    'x-console-access-key': consoleKey,
    ...(as === undefined ? { 'x-service-dev': 'true' } : { [verifiedHeader]: as, authorization: `Bearer ${as}` }),
  };
}

/** The header that names the verified user for a server without access control. */
const verifiedHeader = 'x-verified';
const consoleKey = 'the key of the console';

/** Access control that accepts a user's name as token. */
export const auth = {
  provider: { type: 'names', verifyToken: (token: string) => ({ id: token }) },
  consoleKey,
};

/** The observable reply without what differs by request. */
export interface Reply {
  readonly status: number;
  readonly code: string | null;
  readonly executionId: string | null;
  readonly text: string;
  /** The whole reply as text, for comparison. */
  readonly bytes: string;
}

/** Sends a request to a route, with or without a verified user. */
export async function send(
  origin: string,
  route: string,
  as: string | undefined,
  { body, headers, params = {}, query = {} }: OwnedRequest,
): Promise<Reply> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'missing'));
  const response = await fetch(`${origin}${path}?${new URLSearchParams(query).toString()}`, {
    method,
    headers: {
      ...credentialsOf(as),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const code = response.headers.get('x-error-code');
  const replyHeaders = [...response.headers].filter(([name]) => !changing.has(name));
  return {
    status: response.status,
    code,
    executionId: response.headers.get('x-execution-id'),
    text,
    bytes: JSON.stringify([response.status, replyHeaders, text]),
  };
}

/** Headers that every reply has. */
const changing = new Set(['date', 'x-request-id', 'content-length', 'keep-alive']);

export const userOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  typeof headers[verifiedHeader] === 'string' ? { id: headers[verifiedHeader] } : undefined;
