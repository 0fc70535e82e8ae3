/**
 * A server to attack, in its own process, which reports its memory on request. The argument is its
 * settings as JSON. Run with `--expose-gc`.
 */
import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MessageFilter, Owner, Storage } from '@halyard/contracts';
import { Agent, andThen, createMemory, createWorkflow, type LanguageModel, redactPii } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { Type } from '@sinclair/typebox';
import type { ServerLimits } from '../../../../../packages/server-fastify/src/admission/limits.ts';
import { createServerWithInternals } from '../../../../../packages/server-fastify/src/create-server.ts';
import { splitLimits } from '../../../../../packages/server-fastify/src/testing/split-limits.ts';
import { consoleKey } from '../harness/tokens.ts';
import { steadyModel } from '../steady-model.ts';
import { plantBug } from '../target/plants.ts';

export interface MeasuredSettings {
  /** Default: in memory. */
  readonly connectionString?: string | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Default: nothing is recorded, because records would grow the memory that is measured. */
  readonly records?: boolean;
  readonly plant?: 'kept-bodies' | 'unlimited-pages' | 'slow-bodies' | 'slow-schemas' | undefined;
}

export interface MemoryReport {
  /**
   * The longest time since the last report in which the event loop did nothing else, in
   * milliseconds of CPU: a machine that is busy with other programs does not change it.
   */
  readonly longestStallMs: number;
  /** The heap and the buffers, after garbage collection. */
  readonly usedBytes: number;
  readonly rssBytes: number;
  readonly sockets: number;
}

const { connectionString, limits, plant, records = false } = JSON.parse(process.argv[2] ?? '') as MeasuredSettings;
const opened = connectionString === undefined ? undefined : createPostgresStorage({ connectionString });
const storage = opened && (plant === 'unlimited-pages' ? withUnlimitedPages(opened) : opened);

/** Sends large chunks until its stream is cancelled. */
const endless: LanguageModel = {
  specificationVersion: 'v4',
  provider: 'attacks',
  modelId: 'endless',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new TypeError('this model only streams')),
  doStream: () => {
    let first = true;
    const stream = new ReadableStream(
      {
        async pull(controller) {
          await yieldToEventLoop();
          if (first) controller.enqueue({ type: 'text-start', id: '0' });
          first = false;
          controller.enqueue({ type: 'text-delta', id: '0', delta: 'sail '.repeat(1_000) });
        },
      },
      { highWaterMark: 0 },
    );
    return Promise.resolve({ stream });
  },
};

/** Answers with the question. A new model for each run: a scripted one keeps its calls. */
const echo = (): LanguageModel =>
  scriptedModel(({ prompt }) => {
    const [question] = prompt.flatMap((message) => (message.role === 'user' ? message.content : []));
    return question?.type === 'text' ? question.text : '';
  });

const [ownLimits, fixed] = splitLimits(limits ?? {});
const server = await createServerWithInternals(
  {
    agents: [
      new Agent({ id: 'assistant', model: steadyModel({ pieces: 1, pieceDelayMs: 0 }) }),
      new Agent({ id: 'objective', model: echo, memory: false }),
      new Agent({ id: 'endless', model: endless, memory: false }),
      new Agent({ id: 'private', model: echo, memory: false, processors: [redactPii()] }),
    ],
    workflows: [
      createWorkflow({ id: 'keep', input: Type.Object({ text: Type.String() }) }).andThen({
        id: 'measure',
        execute: ({ data }) => data.text.length,
      }),
      createWorkflow({ id: 'nap' }).andSleep({ id: 'sleep', durationMs: 1_000 }),
      createWorkflow({ id: 'second' }).andThen({ id: 'work', execute: () => delay(1_000) }),
      createWorkflow({ id: 'await-event' }).andWaitForEvent({ id: 'paid', event: 'paid' }),
      // Up to 128 steps, each of which returns a text as long as the input.
      createWorkflow({ id: 'multiply', input: Type.Object({ text: Type.String() }) })
        .andThen({ id: 'text', execute: ({ data }) => data.text })
        .andDoWhile({
          id: 'copies',
          step: andThen({ id: 'copy', execute: ({ data }) => `${data}x` }),
          condition: ({ data }) => data.length % 128 !== 0,
        }),
    ],
    memory: createMemory({
      ...(storage && { storage }),
      workingMemory: {},
    }),
    auth: {
      mode: 'policy',
      provider: { type: 'attacks', verifyToken: (token) => ({ id: token }) },
      consoleKey,
      publicRoutes: ['WS /ws'],
    },
    ...(storage && { storage }),
    limits: ownLimits,
    ...(!records && { telemetry: false }),
    logger: false,
    signals: false,
  },
  { limits: fixed },
);
if (plant === 'slow-schemas' || plant === 'slow-bodies') plantBug(server.app.server, plant);
const kept: Buffer[] = [];
if (plant === 'kept-bodies')
  server.app.addHook('preParsing', async (request, _reply, payload) => {
    payload.on('data', (chunk: Buffer) => kept.push(Buffer.from(chunk)));
    return payload;
  });
const url = await server.listen({ port: 0, host: '127.0.0.1' });
process.on('message', (question) => {
  if (question === 'close') return void server.close().then(() => process.exit(0));
  void report().then((answer) => process.send?.(answer));
});
process.once('disconnect', () => process.exit(1));
process.send?.(url);

let longestStallMs = 0;
let lastCpu = cpuMs();
setInterval(() => {
  const now = cpuMs();
  longestStallMs = Math.max(longestStallMs, now - lastCpu);
  lastCpu = now;
}, 5).unref();

/** The CPU time of this thread. */
function cpuMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}

async function report(): Promise<MemoryReport> {
  const stallMs = Math.round(longestStallMs);
  for (let round = 0; round < 5; round += 1) {
    await yieldToEventLoop();
    globalThis.gc?.();
  }
  const { external, heapUsed, rss } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  // The collection above is no stall of the server.
  longestStallMs = 0;
  lastCpu = cpuMs();
  return { longestStallMs: stallMs, usedBytes: heapUsed + external, rssBytes: rss, sockets };
}

/** The bug: the store ignores how many bytes a page may have. */
function withUnlimitedPages(original: Storage): Storage {
  const conversations = new Proxy(original.conversations, {
    get: (store, name) => {
      const value: unknown = Reflect.get(store, name);
      if (typeof value !== 'function') return value;
      if (name !== 'messages') return value.bind(store) as unknown;
      return (owner: Owner, id: string, { limit }: MessageFilter) => store.messages(owner, id, { limit });
    },
  });
  return { ...original, conversations };
}
