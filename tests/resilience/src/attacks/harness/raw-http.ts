import { connect } from 'node:net';
import type { Target } from './target.ts';

/** The reply to raw bytes. */
export interface RawReply {
  /** Undefined: the connection ended without a reply. */
  readonly status: number | undefined;
  /** In lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Everything that was received. */
  readonly text: string;
}

const silenceMs = 20_000;

/**
 * Sends bytes on a new connection and returns the first reply when the server closes the
 * connection.
 */
export function exchange(target: Target, bytes: string | Uint8Array): Promise<RawReply> {
  const { promise, resolve } = Promise.withResolvers<RawReply>();
  const localAddress = target.nextAddress();
  const socket = connect({
    port: target.port,
    host: target.hostname,
    ...(localAddress !== undefined && { localAddress }),
  });
  let text = '';
  socket.setEncoding('latin1');
  socket.setTimeout(silenceMs, () => socket.destroy());
  socket.on('data', (chunk: Buffer | string) => (text += chunk.toString()));
  // The server may close the connection while bytes are on their way.
  socket.on('error', () => {});
  socket.on('close', () => resolve(parseReply(text)));
  socket.write(bytes);
  return promise;
}

/** Parses a status line, headers and a body in latin1. Does not decode chunks. */
export function parseReply(text: string): RawReply {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end === -1 ? undefined : end).split('\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine) ?? [];
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: status === undefined ? undefined : Number(status),
    headers: new Map(headers),
    body: end === -1 ? '' : text.slice(end + 4),
    text,
  };
}
