import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { signToken } from '../harness/tokens.ts';

/**
 * Bugs of the target that the attacks must find. Those without a text here are implemented where
 * they belong.
 */
export type PlantName =
  /** An unknown agent is answered with 500 and a stack. */
  | 'stack-in-reply'
  /** `GET /workflows` returns items that do not match their schema. */
  | 'wrong-shape'
  /** `GET /tools` has no `x-request-id`. */
  | 'no-request-id'
  /** Event streams contain an event that is not documented. */
  | 'unknown-event'
  /** Line breaks in texts are sent as they are. */
  | 'raw-line-breaks'
  /** `POST /agents/:id/object` blocks the process for 300 ms. */
  | 'slow-schemas'
  /** A body of more than 50 KB blocks the process for 300 ms. */
  | 'slow-bodies'
  /** The router merges slashes. */
  | 'merged-slashes'
  /** Tools are executed without credentials. */
  | 'open-tools'
  /** Every reader of a conversation reads it as Ada. */
  | 'borrowed-identity'
  /** A path with `..` is served from the disk. */
  | 'served-files'
  /** A tool accepts any arguments (implemented in `agents.ts`). */
  | 'unchecked-arguments'
  /** Tokens without a signature are accepted (implemented in `target-process.ts`). */
  | 'unsigned-tokens'
  /** The agent `reader` fetches each URL of its input. */
  | 'fetching-agent'
  /**
   * The address of a name is looked up again for the connection (implemented in `access/ssrf.ts`).
   */
  | 'second-lookup'
  /** Slow clients may take five minutes (implemented in `resources/slow-loris.ts`). */
  | 'patient-server'
  /** A WebSocket message may have 512 MB (implemented in `resources/hostile-frames.ts`). */
  | 'large-messages'
  /**
   * 512 MB may wait for a client that does not read (implemented in `resources/slow-readers.ts`).
   */
  | 'large-buffers'
  /** Bodies stay in memory (implemented in `resources/measured-process.ts`). */
  | 'kept-bodies'
  /**
   * The store ignores how many bytes a page may have (implemented in
   * `resources/measured-process.ts`).
   */
  | 'unlimited-pages'
  /** Each request leaves 32 KB behind (implemented in `soak/server-process.ts`). */
  | 'leaked-heap'
  /** Each request leaves a handle behind (implemented in `soak/server-process.ts`). */
  | 'leaked-handles'
  /** A token that was valid once is always valid (implemented in `environment/app-process.ts`). */
  | 'remembered-tokens'
  /**
   * Commits are acknowledged before they are on the disk (implemented in
   * `environment/power-failure.ts`).
   */
  | 'no-fsync'
  /** A write that failed is reported as done (implemented in `environment/app-process.ts`). */
  | 'hidden-failures'
  /** The network loses what it should send again (implemented in `environment/slow-network.ts`). */
  | 'lost-packets';

type Fault = (request: IncomingMessage, response: ServerResponse) => 'answered' | 'passed on';

/** Puts a bug in front of the request listeners of a server. */
export function plantBug(server: Server, plant: PlantName | undefined): void {
  const fault = plant === undefined ? undefined : faults[plant];
  if (fault === undefined) return;
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (fault(request, response) === 'answered') return;
    for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
  });
}

const faults: Partial<Readonly<Record<PlantName, Fault>>> = {
  'stack-in-reply': ({ method, url = '' }, response) => {
    if (method !== 'GET' || !/^\/agents\/[^/?]+/.test(url)) return 'passed on';
    const error = new TypeError('cannot read').stack;
    return answer(response, 500, JSON.stringify({ success: false, error }), { 'x-error-code': 'INTERNAL' });
  },
  'wrong-shape': ({ method, url = '' }, response) => {
    if (method !== 'GET' || !/^\/workflows(?:\?|$)/.test(url)) return 'passed on';
    return answer(response, 200, '{"success":true,"data":[{"id":7}]}');
  },
  'no-request-id': ({ url = '' }, response) => {
    if (!/^\/tools(?:\?|$)/.test(url)) return 'passed on';
    response.setHeader('content-type', 'application/json; charset=utf-8').end('{"success":true,"data":[]}');
    return 'answered';
  },
  'unknown-event': (_, response) => rewrite(response, (text) => `data: {"type":"debug"}\n\n${text}`),
  'raw-line-breaks': (_, response) => rewrite(response, (text) => text.replaceAll(String.raw`\n`, '\n')),
  'slow-schemas': ({ url = '' }) => {
    const until = performance.now() + (url.endsWith('/object') ? 300 : 0);
    while (performance.now() < until);
    return 'passed on';
  },
  'slow-bodies': ({ headers }) => {
    const until = performance.now() + (Number(headers['content-length']) > 50_000 ? 300 : 0);
    while (performance.now() < until);
    return 'passed on';
  },
  'merged-slashes': (request) => {
    request.url = request.url?.replaceAll(/\/{2,}/g, '/') ?? '';
    return 'passed on';
  },
  'open-tools': ({ headers, url = '' }) => {
    if (url.startsWith('/tools/')) headers.authorization ??= `Bearer ${signToken({ sub: 'ada' })}`;
    return 'passed on';
  },
  'borrowed-identity': ({ headers, method, url = '' }) => {
    if (method === 'GET' && url.startsWith('/api/memory/conversations/'))
      headers.authorization = `Bearer ${signToken({ sub: 'ada' })}`;
    return 'passed on';
  },
  'fetching-agent': (request, response) => {
    if (request.url?.startsWith('/agents/reader/') !== true) return 'passed on';
    void fetchAll(request).then(() => answer(response, 200, '{"success":true,"data":{}}'));
    return 'answered';
  },
  'served-files': ({ url = '' }, response) =>
    url.includes('..') ? answer(response, 200, 'root:x:0:0:root:/root:/bin/sh') : 'passed on',
};

function answer(response: ServerResponse, status: number, body: string, headers: object = {}): 'answered' {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'p', ...headers });
  response.end(body);
  return 'answered';
}

async function fetchAll(request: IncomingMessage): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  const urls = body.match(/https?:[^"]+/g) ?? [];
  await Promise.allSettled(urls.map((url) => fetch(url, { signal: AbortSignal.timeout(1_000) })));
}

/** Changes what is written to event streams. */
function rewrite(response: ServerResponse, change: (text: string) => string): 'passed on' {
  const write = response.write.bind(response) as (chunk: unknown, ...rest: unknown[]) => boolean;
  Reflect.set(response, 'write', (chunk: unknown, ...rest: unknown[]): boolean => {
    const text = textOf(chunk);
    return write(/^(?:data|id): /.test(text) ? change(text) : chunk, ...rest);
  });
  return 'passed on';
}

function textOf(chunk: unknown): string {
  return chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk);
}
