import { setTimeout as delay } from 'node:timers/promises';
import { consoleKey } from './console-key.ts';
import type { Random } from './mix.ts';
import type { SoakClient } from './requests.ts';

export interface FollowerOptions {
  readonly origin: string;
  readonly client: SoakClient;
  readonly random: Random;
  /** Ends all of them. */
  readonly signal: AbortSignal;
  /** Called with what went wrong. */
  readonly report: (problem: string) => void;
}

const streamMs = 12_000;
const socketMs = 60_000;
const channels = ['/ws', '/ws/logs', '/ws/observability'] as const;

/**
 * Reads one stream after the other, of an agent or of a workflow. A quarter is given up in the
 * middle.
 */
export async function followStreams({ client, random, report, signal }: FollowerOptions): Promise<void> {
  while (!signal.aborted) {
    const user = `reader-${Math.floor(random() * 100)}`;
    const [path, body] =
      random() < 0.5
        ? ['/agents/narrator/stream', { input: 'Tell a story' }]
        : ['/workflows/ticker/stream', { input: {} }];
    const abortAfterMs = random() < 0.25 ? Math.ceil(random() * streamMs) : undefined;
    try {
      const { status, text } = await client.send({ method: 'POST', path, user, body, abortAfterMs });
      if (status !== 200 && status !== 'aborted') report(`${path} answered ${status}`);
      if (status === 200 && !/"type":"(?:finish|workflow-result)"/.test(text)) report(`${path} had no end`);
    } catch (error) {
      if (!signal.aborted) report(`${path}: ${String(error)}`);
    }
  }
}

/** Keeps a WebSocket open, sends a message each second, and reconnects after a minute. */
export async function followSocket({ origin, random, report, signal }: FollowerOptions, index: number): Promise<void> {
  const channel = channels[index % channels.length] ?? '/ws';
  const url = `${origin.replace('http', 'ws')}${channel}?key=${encodeURIComponent(consoleKey)}`;
  while (!signal.aborted) {
    const socket = new WebSocket(url);
    let received = 0;
    socket.addEventListener('message', () => (received += 1));
    socket.addEventListener('error', () => {
      if (!signal.aborted) report(`${channel} failed`);
    });
    const until = performance.now() + socketMs * (0.5 + random());
    while (!signal.aborted && performance.now() < until) {
      await delay(1_000, undefined, { signal }).catch(() => {});
      if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"PING"}');
    }
    if (received === 0 && !signal.aborted) report(`${channel} sent nothing`);
    socket.close();
  }
}
