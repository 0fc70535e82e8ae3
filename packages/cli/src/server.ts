import { CliError } from './cli-error.ts';

export interface ServerFlags {
  readonly url: string;
}

/** The parts of a request besides its path. */
interface Call {
  readonly method?: 'GET' | 'DELETE' | 'POST';
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal?: AbortSignal;
  /** Which credentials the route takes. */
  readonly credentials: 'console' | 'user';
}

const keyVariable = 'SERVICE_CONSOLE_ACCESS_KEY';
const tokenVariable = 'HALYARD_TOKEN';

/** Sends a request to a running server. @throws CliError unless the reply has the status 200. */
export async function callServer(
  { url }: ServerFlags,
  path: string,
  { body, credentials, method = 'GET', signal }: Call,
): Promise<Response> {
  const address = addressOf(url, path);
  const reply = await send(address, {
    method,
    headers: { ...credentialHeaders(credentials), ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // fetch would send the key of the console to any host that the server names.
    redirect: 'manual',
    ...(signal !== undefined && { signal }),
  });
  if (reply.status === 200) return reply;
  throw await failureOf(reply, address, credentials);
}

function addressOf(url: string, path: string): URL {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new CliError(`"${url}" is not the address of a server.`, { fix: 'Pass --url http://127.0.0.1:3141' });
  }
  const { password, username } = new URL(url);
  if (username !== '' || password !== '') {
    throw new CliError('The address of the server contains a name or a password.', {
      fix: `Pass --url without them, and set ${keyVariable} or ${tokenVariable}`,
    });
  }
  return new URL(`${url.replace(/\/+$/, '')}${path}`);
}

function credentialHeaders(credentials: Call['credentials']): Record<string, string> {
  const variable = credentials === 'console' ? keyVariable : tokenVariable;
  const value = process.env[variable]?.trim() ?? '';
  if (value !== '') {
    return credentials === 'console' ? { 'x-console-access-key': value } : { authorization: `Bearer ${value}` };
  }
  // A development server accepts it instead; a server in production ignores it.
  return { 'x-service-dev': 'true' };
}

async function send(address: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new CliError(`No server answers at ${address.origin}${reason === '' ? '' : `: ${reason}`}.`, {
      cause: error,
      fix: 'Start the app, or pass its address with --url',
    });
  }
}

async function failureOf(reply: Response, address: URL, credentials: Call['credentials']): Promise<CliError> {
  const body = (await reply.json().catch(() => undefined)) as { readonly error?: unknown } | undefined;
  const said = typeof body?.error === 'string' ? `: ${body.error}` : '';
  if (reply.status === 401) {
    return new CliError(`The server refused the request${said}.`, { fix: credentialFix[credentials] });
  }
  if (reply.status === 404 && (said === '' || said.startsWith(': No route'))) {
    return new CliError(`${address.origin} has no route ${address.pathname}.`, {
      fix: 'Pass the address of a Halyard server with --url, including its prefix, if it has one',
    });
  }
  if (reply.status === 404) return new CliError(`${said.slice(2)}.`);
  const location = reply.headers.get('location');
  if (reply.status >= 300 && reply.status < 400 && location !== null) {
    return new CliError(`${address.origin} redirects to ${location}, where no credentials were sent.`, {
      fix: 'If that is your server, pass its address with --url',
    });
  }
  return new CliError(`The server answered with the status ${reply.status}${said}.`, {
    fix: reply.status === 429 || reply.status === 503 ? 'Try again later' : undefined,
  });
}

const credentialFix: Readonly<Record<Call['credentials'], string>> = {
  console: `Set ${keyVariable} to the key of the console, also in .env`,
  user: `Set ${tokenVariable} to a token of this user: the key of the console may not change the data of users`,
};
