import { deepEqual } from 'node:assert/strict';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { apiDocument } from '../api/openapi/api-document.ts';
import { explorerPage } from '../api/routes/documents/documents.ts';
import { endpoints } from '../api/routes/index.ts';
import { type ApiDocument, ReplyCheck } from './reply-check.ts';

/**
 * Compares every reply of a server with the API document, after all hooks and serializers. Ignores
 * replies that the client did not wait for.
 *
 * @returns a function that throws if a reply differed from the document.
 */
export function watchReplies(server: Server, check: ReplyCheck): () => void {
  const faults: string[] = [];
  server.prependListener('request', (request, response) => {
    const { method = '', url = '' } = request;
    if (url.split('?', 1)[0]?.match(ownProtocols)) return;
    const path = check.pathOf(method, url);
    const reply = record(request, response, path !== undefined);
    response.once('finish', () => {
      const fault = check.fault(method, path, reply());
      if (fault !== undefined) faults.push(`${method} ${url.slice(0, 200)} ${response.statusCode}: ${fault}`);
    });
  });
  return () => deepEqual(faults, [], 'replies that differ from the API document');
}

/** `/mcp/<id>`, whose replies are not described by the document. */
const ownProtocols = /\/mcp\/(?!servers(?:\/|$))[^/]+$/;

/** The document of the whole API. */
export function documentedApi(prefix = ''): ReplyCheck {
  const document = apiDocument([...endpoints, explorerPage], { version: '0.0.0', prefix });
  return new ReplyCheck(JSON.parse(JSON.stringify(document)) as ApiDocument);
}

const sharedChecks = new Map<string, ReplyCheck>();

/**
 * One check for all servers of a worker with this prefix: compiling the document takes longer than
 * a server's start.
 */
export function sharedCheckOf(prefix = ''): ReplyCheck {
  const check = sharedChecks.get(prefix) ?? documentedApi(prefix);
  sharedChecks.set(prefix, check);
  return check;
}

function record({ method }: IncomingMessage, response: ServerResponse, isDocumented: boolean) {
  const chunks: Uint8Array[] = [];
  let head: Record<string, unknown> = {};
  const append = (chunk: unknown): void => {
    // The endpoints of tests are not part of the API, and their replies may be endless.
    if (!isDocumented && response.statusCode < 400) return;
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(chunk);
  };
  spy(response, 'write', ([chunk]) => append(chunk));
  spy(response, 'end', ([chunk]) => append(chunk));
  // `getHeaders` omits headers that are passed to `writeHead`.
  spy(response, 'writeHead', (args) => {
    const last = args.at(-1);
    if (typeof last === 'object') head = { ...last };
  });
  return () => {
    const headers: Record<string, unknown> = { ...response.getHeaders(), ...head };
    const body = method === 'HEAD' ? undefined : decoded(Buffer.concat(chunks), headers['content-encoding']);
    return { status: response.statusCode, headers, body };
  };
}

function decoded(body: Buffer, coding: unknown): string {
  if (coding === 'br') return brotliDecompressSync(body).toString();
  return (coding === 'gzip' ? gunzipSync(body) : body).toString();
}

function spy(response: ServerResponse, name: 'write' | 'end' | 'writeHead', see: (args: unknown[]) => void): void {
  const method: unknown = Reflect.get(response, name);
  if (typeof method !== 'function') return;
  Reflect.set(response, name, (...args: unknown[]): unknown => {
    see(args);
    return Reflect.apply(method, response, args) as unknown;
  });
}
