import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as yieldToEventLoop, setTimeout as pause } from 'node:timers/promises';
import type { JsonValue } from '@halyard/contracts';
import type { FaultScript, WireError } from './script.ts';

/** The answer of an endpoint, ready to send. */
export type WireReply =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: JsonValue;
      readonly fault?: FaultScript;
    }
  | { readonly kind: 'events'; readonly stream: EventStream; readonly delayMs?: number; readonly fault?: FaultScript }
  | { readonly kind: 'none'; readonly ending: 'hang' | 'destroy' };

/**
 * A server-sent event as text, or a message of another format as bytes. A chunk contains output of
 * the model.
 */
export interface Frame {
  readonly text: string | Uint8Array;
  readonly isChunk: boolean;
}

export interface EventStream {
  /** Sent before any output of the model. */
  readonly opening: readonly Frame[];
  readonly frames: readonly Frame[];
  /** The provider's way to report a failure inside a stream. */
  readonly errorEvent: (error: Partial<WireError>) => string | Uint8Array;
  /** Default: that of server-sent events. */
  readonly contentType?: string;
  /** An event that is no JSON. Default: a server-sent one. */
  readonly malformedEvent?: Uint8Array;
}

const malformedEvent = 'data: {"choices":[{"delta":\n\n';

/**
 * The connection to the client: the writable response, the signal of its end, and a function that
 * closes it.
 */
export interface Line {
  readonly response: ServerResponse;
  readonly gone: AbortSignal;
  readonly breakOff: () => void;
}

/** Resolves when the reply is sent as scripted, or the client has disconnected. */
export async function sendReply(line: Line, reply: WireReply): Promise<void> {
  switch (reply.kind) {
    case 'json':
      return sendJson(line, reply);
    case 'events':
      return sendEvents(line, reply);
    case 'none':
      return reply.ending === 'hang' ? hang(line) : line.breakOff();
    default:
      return reply satisfies never;
  }
}

async function sendJson(
  line: Line,
  { status, headers = {}, body, fault }: Extract<WireReply, { kind: 'json' }>,
): Promise<void> {
  const { response } = line;
  const bytes = Buffer.from(JSON.stringify(body));
  const half = bytes.subarray(0, bytes.length / 2);
  const length = fault?.kind === 'malformed' ? half.length : bytes.length;
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': length });
  switch (fault?.kind) {
    case 'hang':
      response.flushHeaders();
      return hang(line);
    case 'destroy':
      await write(line, half);
      return destroy(line);
    case 'malformed':
      response.end(half);
      return;
    default:
      response.end(bytes);
  }
}

async function sendEvents(
  line: Line,
  { stream, delayMs = 0, fault }: Extract<WireReply, { kind: 'events' }>,
): Promise<void> {
  const { response, gone } = line;
  const { contentType = 'text/event-stream; charset=utf-8' } = stream;
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
  for (const frame of stream.opening) await write(line, frame.text);

  const faultAt = fault === undefined ? -1 : indexAfterChunks(stream.frames, fault.afterChunks);
  for (const [index, frame] of stream.frames.entries()) {
    if (fault !== undefined && index === faultAt) {
      const goesOn = await commit(fault, line, stream);
      if (!goesOn) return;
    }
    if (delayMs > 0 && frame.isChunk) await pause(delayMs, undefined, { signal: gone }).catch(ignoreAbort);
    if (gone.aborted) return;
    await write(line, frame.text);
  }
  response.end();
}

/**
 * The index of the frame with the fault. Closing frames always follow the last chunk, so the index
 * is valid.
 */
function indexAfterChunks(
  frames: readonly Frame[],
  afterChunks: FaultScript['afterChunks'] = Number.POSITIVE_INFINITY,
): number {
  if (afterChunks === 'end') return frames.length - 1;
  const positions = frames.flatMap((frame, index) => (frame.isChunk ? [index + 1] : []));
  return positions[Math.min(afterChunks, positions.length) - 1] ?? 0;
}

/** Applies the fault; true when the stream continues after it. */
async function commit(fault: FaultScript, line: Line, stream: EventStream): Promise<boolean> {
  switch (fault.kind) {
    case 'hang':
      await hang(line);
      return false;
    case 'destroy':
      await destroy(line);
      return false;
    case 'malformed':
      await write(line, stream.malformedEvent ?? malformedEvent);
      return true;
    case 'error-event':
      line.response.end(stream.errorEvent(fault.error ?? {}));
      return false;
    default:
      return fault satisfies never;
  }
}

/**
 * Waits while the client's buffer is full, so that a client that does not read causes no growing
 * buffer here.
 */
async function write({ response, gone }: Line, text: string | Uint8Array): Promise<void> {
  if (gone.aborted || response.write(text)) return;
  await once(response, 'drain', { signal: gone }).catch(ignoreAbort);
}

async function hang({ gone }: Line): Promise<void> {
  if (!gone.aborted) await once(gone, 'abort');
}

/**
 * Node delays the first write until the end of the tick. Waits, so that written data is sent before
 * the socket closes.
 */
async function destroy({ breakOff }: Line): Promise<void> {
  await yieldToEventLoop();
  breakOff();
}

function ignoreAbort(): void {}
