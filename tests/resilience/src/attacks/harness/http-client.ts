import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Target } from './target.ts';

/** A request as it is sent: the path is not normalised. */
export interface Sent {
  readonly method: string;
  /** With the query. ASCII without spaces. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The stream was still open after its time. */
  readonly isCut: boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** How long an event stream is read. */
const streamMs = 1_500;
/** A reply that takes longer is an error. */
const replyMs = 30_000;

/** Sends a request to the target. @throws Error when there is no reply. */
export function send(target: Target, { body, headers = {}, method, path }: Sent): Promise<Received> {
  const { promise, reject, resolve } = Promise.withResolvers<Received>();
  const localAddress = target.nextAddress();
  const sending = request(
    {
      agent,
      ...(localAddress !== undefined && { localAddress }),
      host: target.hostname,
      port: target.port,
      method,
      path,
      headers: headersOf(headers, body),
    },
    (response) => {
      const chunks: Buffer[] = [];
      const end = (isCut: boolean): void => {
        clearTimeout(streaming);
        const { headers: received, statusCode = 0 } = response;
        resolve({ status: statusCode, headers: received, body: Buffer.concat(chunks).toString(), isCut });
        if (isCut) sending.destroy();
      };
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
      const streaming = isStream ? setTimeout(() => end(true), streamMs) : undefined;
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => end(false));
      response.on('error', reject);
    },
  );
  sending.setTimeout(replyMs, () => sending.destroy(new Error(`no reply within ${replyMs / 1_000} s`)));
  sending.on('error', reject);
  sending.end(body);
  return promise;
}

function headersOf(headers: Readonly<Record<string, string>>, body: string | undefined): Record<string, string> {
  if (body === undefined) return headers;
  return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers };
}

/** Sends JSON and returns the `data` of the reply. @throws Error for a failure. */
export async function sendJson(
  target: Target,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<unknown> {
  const sent = { method, path, headers, body: body === undefined ? undefined : JSON.stringify(body) };
  const received = await send(target, sent);
  if (received.status >= 300) throw new Error(`${method} ${path}: ${received.status} ${received.body}`);
  return (JSON.parse(received.body) as { readonly data?: unknown }).data;
}
