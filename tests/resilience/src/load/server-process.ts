/**
 * A server in a separate process, which reports its memory and resources on request. Run with
 * `--expose-gc`.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Agent, type LanguageModel } from '@halyard/core';
import { createServer } from '@halyard/server-fastify';

export interface Report {
  readonly resources: Readonly<Record<string, number>>;
  readonly heapUsed: number;
  readonly rss: number;
  /** Streams that the model opened, and those that were cancelled. */
  readonly opened: number;
  readonly closed: number;
  /** Chunks that were read from the model. */
  readonly pieces: number;
}

/** Large, so that the buffers between two processes fill up quickly. */
const piece = 'sail '.repeat(1000);
let opened = 0;
let closed = 0;
let pieces = 0;

/** Sends one chunk per turn of the event loop until its stream is cancelled. */
const endless = (delta: string): LanguageModel => ({
  specificationVersion: 'v4',
  provider: 'load',
  modelId: 'endless',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new TypeError('this model only streams')),
  doStream: () => {
    opened += 1;
    let first = true;
    const stream = new ReadableStream(
      {
        async pull(controller) {
          await yieldToEventLoop();
          if (first) controller.enqueue({ type: 'text-start', id: '0' });
          first = false;
          pieces += 1;
          controller.enqueue({ type: 'text-delta', id: '0', delta });
        },
        cancel() {
          closed += 1;
        },
      },
      { highWaterMark: 0 },
    );
    return Promise.resolve({ stream });
  },
});

const server = await createServer({
  agents: [new Agent({ id: 'endless', model: endless(piece) }), new Agent({ id: 'chatty', model: endless('ab ') })],
  logger: false,
  signals: false,
  limits: { streamsPerCaller: 500, eventLoopDelayMs: 3_600_000 },
});
const url = await server.listen({ port: 0 });

process.on('message', (question) => {
  if (question === 'close') return void server.close().then(() => process.exit(0));
  void report().then((answer) => process.send?.(answer));
});
process.send?.(url);

async function report(): Promise<Report> {
  for (let round = 0; round < 5; round += 1) {
    await yieldToEventLoop();
    globalThis.gc?.();
  }
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const { heapUsed, rss } = process.memoryUsage();
  return { resources, heapUsed, rss, opened, closed, pieces };
}
