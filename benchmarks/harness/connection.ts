import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A complete answer. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /**
   * The time from writing the request to the arrival of the first text delta; undefined if the
   * answer is not a stream.
   */
  readonly firstDeltaMs: number | undefined;
}

interface Head {
  readonly status: number;
  readonly bodyStart: number;
  /** Undefined if the body is chunked. */
  readonly bodyLength: number | undefined;
}

interface PendingRequest {
  readonly sentAt: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
}

const lastChunk = '0\r\n\r\n';

/**
 * A keep-alive HTTP/1.1 connection for one request at a time. It implements only the part of the
 * protocol that these apps use (ASCII, no trailers), so that the driver uses less CPU than the
 * fastest server.
 */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  #head: Head | undefined;
  #firstDeltaAt: number | undefined;
  #pending: PendingRequest | undefined;

  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.#socket, 'connect');
    return connection;
  }

  private constructor(port: number) {
    const onread = {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback: (size: number, bytes: Uint8Array): boolean => {
        this.#receive(bytes.subarray(0, size));
        return true;
      },
    };
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true, onread });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  async send(request: Buffer): Promise<Answer> {
    this.#length = 0;
    this.#head = undefined;
    this.#firstDeltaAt = undefined;
    return await new Promise((resolve, reject) => {
      this.#pending = { sentAt: performance.now(), resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#received.length) this.#received = Buffer.concat([this.#received], length * 2);
    this.#received.set(bytes, this.#length);
    this.#length = length;

    this.#head ??= readHead(this.#received.subarray(0, length));
    if (this.#head === undefined) return;
    if (this.#head.bodyLength === undefined && this.#firstDeltaAt === undefined) this.#findFirstDelta();
    if (this.#isComplete(this.#head)) this.#answer(this.#head);
  }

  #findFirstDelta(): void {
    if (this.#received.subarray(0, this.#length).includes('"text-delta"', 0, 'latin1'))
      this.#firstDeltaAt = performance.now();
  }

  #isComplete({ bodyStart, bodyLength }: Head): boolean {
    if (bodyLength !== undefined) return this.#length - bodyStart >= bodyLength;
    return this.#length - bodyStart >= lastChunk.length && this.#text(this.#length - lastChunk.length) === lastChunk;
  }

  #answer({ status, bodyStart, bodyLength }: Head): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    const raw = this.#text(bodyStart);
    const body = bodyLength === undefined ? joinChunks(raw) : raw;
    if (body === undefined)
      return pending.reject(new Error('the header announces a chunked body, but the body is not chunked'));
    const firstDeltaMs = this.#firstDeltaAt === undefined ? undefined : this.#firstDeltaAt - pending.sentAt;
    pending.resolve({ status, body, firstDeltaMs });
  }

  #text(from: number): string {
    return this.#received.toString('latin1', from, this.#length);
  }

  #fail(reason: Error): void {
    this.#pending?.reject(reason);
    this.#pending = undefined;
  }
}

function readHead(received: Buffer): Head | undefined {
  const end = received.indexOf('\r\n\r\n', 0, 'latin1');
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  return {
    status: Number(head.slice(9, 12)),
    bodyStart: end + 4,
    bodyLength: length === undefined ? undefined : Number(length),
  };
}

function joinChunks(raw: string): string | undefined {
  let body = '';
  let at = 0;
  while (at < raw.length) {
    const start = raw.indexOf('\r\n', at) + 2;
    const size = Number.parseInt(raw.slice(at, start - 2), 16);
    if (start === 1 || Number.isNaN(size)) return undefined;
    body += raw.slice(start, start + size);
    at = start + size + 2;
  }
  return body;
}
