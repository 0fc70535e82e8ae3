import { Readable } from 'node:stream';
import type { ReadableStreamDefaultReader } from 'node:stream/web';
import { ConfigurationError } from '@halyard/contracts';
import type { FetchSocket } from './fetch-socket.ts';

/** Headers of the connection between the client and the adapter, which has ended them. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A `Request` as the server reads requests: like Node's `IncomingMessage`, for any runtime. */
export class FetchRequest extends Readable {
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly socket: FetchSocket;
  /** Whether the client has left. */
  aborted = false;
  /** Whether the whole body was received. */
  complete = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  /** @throws ConfigurationError for a request whose body was read. */
  constructor(request: Request, url: URL, socket: FetchSocket) {
    super();
    if (request.bodyUsed || request.body?.locked === true)
      throw new ConfigurationError(
        'server.fetch needs a request whose body nobody has read: pass the request on before you read it, or pass `request.clone()`',
      );
    this.method = request.method;
    this.url = url.pathname + url.search;
    this.headers = toHeaders(request, url);
    this.rawHeaders = Object.entries(this.headers).flat();
    this.socket = socket;
    this.#reader = request.body?.getReader();
    // A body that breaks off is reported to its reader. A body that nobody reads harms nobody.
    this.on('error', () => {});
  }

  override _read(): void {
    this.#readChunk().catch((error: unknown) => this.destroy(error instanceof Error ? error : undefined));
  }

  async #readChunk(): Promise<void> {
    const chunk = await this.#reader?.read();
    if (chunk === undefined || chunk.done) {
      this.complete = true;
      this.push(null);
    } else this.push(chunk.value);
  }

  /** The client has left. */
  abort(): void {
    this.aborted = true;
    this.#reader?.cancel().catch(() => {});
    this.destroy();
  }
}

function toHeaders(request: Request, url: URL): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of request.headers) if (!connectionHeaders.has(name)) headers[name] = value;
  headers['host'] ??= url.host;
  // Without either header the server would expect no body.
  if (request.body !== null && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
  return headers;
}
