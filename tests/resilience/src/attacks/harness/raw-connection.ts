import { connect, type Socket } from 'node:net';
import { parseReply, type RawReply } from './raw-http.ts';
import type { Target } from './target.ts';

/**
 * A connection for many requests, one after the other, whose request lines are sent as they are.
 */
export class RawConnection {
  readonly #target: Target;
  #socket: Socket | undefined;

  constructor(target: Target) {
    this.#target = target;
  }

  /** @param hasNoBody the reply to HEAD has a length, but no body. */
  exchange(request: string, hasNoBody = false): Promise<RawReply> {
    const { promise, resolve } = Promise.withResolvers<RawReply>();
    const socket = this.#open();
    let text = '';
    const end = (): void => {
      socket.removeAllListeners('data').removeAllListeners('close');
      const reply = parseReply(text);
      if (reply.headers.get('connection') === 'close') this.close();
      resolve(reply);
    };
    socket.on('data', (chunk: Buffer | string) => {
      text += chunk.toString();
      if (isComplete(text, hasNoBody)) end();
    });
    socket.on('close', () => {
      this.#socket = undefined;
      end();
    });
    socket.write(Buffer.from(request));
    return promise;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    const socket = connect(this.#target.port, this.#target.hostname);
    socket.setEncoding('latin1').setNoDelay(true);
    socket.on('error', () => {});
    this.#socket = socket;
    return socket;
  }
}

function isComplete(text: string, hasNoBody: boolean): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const { body, headers, status } = parseReply(text);
  if (hasNoBody || status === 204 || status === 304) return true;
  const length = headers.get('content-length');
  return length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length);
}
