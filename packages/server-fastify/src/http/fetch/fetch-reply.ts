import { type OutgoingHttpHeader, type OutgoingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http';
import { Writable } from 'node:stream';
import type { ReadableStreamDefaultController } from 'node:stream/web';
import { AbortedError } from '@halyard/contracts';
import type { FetchRequest } from './fetch-request.ts';
import type { FetchSocket } from './fetch-socket.ts';

/** How much of a reply is sent on before its reader asks, as the system does for a socket. */
const bufferedBytes = 16 * 1024;

/** Statuses whose responses cannot have a body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Headers of the connection to the client, which the adapter decides. */
const connectionHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade']);

type Callback = (error?: Error | null) => void;

/**
 * The reply to a {@link FetchRequest}, which becomes a `Response`: like Node's `ServerResponse`,
 * for any runtime. A reader that does not read stops the writer; one that cancels is a client that
 * leaves.
 */
export class FetchReply extends Writable {
  readonly req: FetchRequest;
  readonly socket: FetchSocket;
  statusCode = 200;
  statusMessage = '';
  headersSent = false;
  /** The adapter decides what happens to the connection. */
  readonly shouldKeepAlive = true;
  /** Resolves with the head of the reply. Rejects if the reply is destroyed before. */
  readonly response: Promise<Response>;
  readonly #headers = new Map<string, OutgoingHttpHeader>();
  readonly #responded = Promise.withResolvers<Response>();
  #hasResponded = false;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Continues the writer when the reader has read. */
  #resume: Callback | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(req: FetchRequest) {
    super();
    this.req = req;
    this.socket = req.socket;
    this.response = this.#responded.promise;
    this.response.catch(() => {});
    this.on('error', () => {});
  }

  setHeader(name: string, value: OutgoingHttpHeader): this {
    validateHeaderName(name);
    for (const each of [value].flat()) validateHeaderValue(name, String(each));
    this.#headers.set(name.toLowerCase(), value);
    return this;
  }

  appendHeader(name: string, value: string | readonly string[]): this {
    const earlier = this.#headers.get(name.toLowerCase()) ?? [];
    return this.setHeader(name, [earlier, value].flat(2).map(String));
  }

  getHeader(name: string): OutgoingHttpHeader | undefined {
    return this.#headers.get(name.toLowerCase());
  }

  getHeaders(): OutgoingHttpHeaders {
    return Object.fromEntries(this.#headers);
  }

  getHeaderNames(): string[] {
    return [...this.#headers.keys()];
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    this.statusCode = status;
    if (typeof reason === 'string') this.statusMessage = reason;
    for (const [name, value] of toEntries(headers ?? (typeof reason === 'string' ? {} : reason)))
      if (value !== undefined) this.setHeader(name, value);
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    if (!this.destroyed) this.#respond();
  }

  /** Ends the reply if its reader reads nothing for so long; never for 0. */
  setTimeout(ms: number): this {
    clearTimeout(this.#timer);
    this.#timer = ms > 0 ? setTimeout(() => this.destroy(), ms).unref() : undefined;
    return this;
  }

  /** Informational replies have no form in a `Response`. */
  writeContinue(): void {}

  writeEarlyHints(_hints: object, done?: () => void): void {
    done?.();
  }

  override _write(chunk: Buffer, _encoding: string, done: Callback): void {
    this.#respond();
    if (this.#body === undefined) done();
    else {
      this.#body.enqueue(chunk);
      if ((this.#body.desiredSize ?? 0) > 0) done();
      else this.#resume = done;
    }
  }

  override _final(done: Callback): void {
    this.#respond();
    this.#body?.close();
    done();
  }

  override _destroy(error: Error | null, done: Callback): void {
    clearTimeout(this.#timer);
    if (!this.writableFinished) {
      const reason = error ?? new AbortedError();
      this.#responded.reject(reason);
      this.#body?.error(reason);
    }
    done(error);
  }

  #respond(): void {
    if (this.#hasResponded) return;
    this.#hasResponded = true;
    this.headersSent = true;
    const { statusCode: status, statusMessage: statusText } = this;
    const hasBody = this.req.method !== 'HEAD' && !withoutBody.has(status);
    this.#responded.resolve(
      new Response(hasBody ? this.#stream() : null, { status, statusText, headers: this.#sent() }),
    );
  }

  #stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#body = controller;
        },
        pull: () => {
          this.#timer?.refresh();
          const resume = this.#resume;
          this.#resume = undefined;
          resume?.();
        },
        cancel: () => {
          // It is closed already.
          this.#body = undefined;
          this.destroy();
        },
      },
      { highWaterMark: bufferedBytes, size: ({ byteLength }) => byteLength },
    );
  }

  #sent(): Headers {
    const headers = new Headers();
    for (const [name, value] of this.#headers)
      if (!connectionHeaders.has(name)) for (const each of [value].flat()) headers.append(name, String(each));
    return headers;
  }
}

/** @param headers by name, or names and values in turns. */
function toEntries(
  headers: OutgoingHttpHeaders | OutgoingHttpHeader[] = {},
): readonly (readonly [string, OutgoingHttpHeader | undefined])[] {
  if (!Array.isArray(headers)) return Object.entries(headers);
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[String(name), headers[at + 1]] as const] : []));
}
