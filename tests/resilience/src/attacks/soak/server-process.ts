/**
 * The server of the soak, in its own process, which reports its memory and handles on request. The
 * argument is its settings as JSON. Run with `--expose-gc`.
 */
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Agent, createMemory, createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { steadyModel } from '../steady-model.ts';
import { consoleKey } from './console-key.ts';

export interface SoakSettings {
  readonly connectionString: string;
  /** A planted fault: what each request leaves behind. */
  readonly plant?: 'leaked-handles' | 'leaked-heap' | undefined;
}

export interface SoakReport {
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly handles: number;
}

const settings = JSON.parse(process.argv[2] ?? '') as SoakSettings;
const storage = createPostgresStorage({ connectionString: settings.connectionString });
const server = await createServer({
  agents: [
    new Agent({ id: 'assistant', model: steadyModel({ pieces: 20, pieceDelayMs: 1 }) }),
    new Agent({ id: 'narrator', model: steadyModel({ pieces: 200, pieceDelayMs: 50 }) }),
  ],
  memory: createMemory({ storage, workingMemory: {} }),
  workflows: [
    createWorkflow({ id: 'order', input: Type.Object({ total: Type.Number() }) })
      .andThen({ id: 'price', execute: ({ data }) => ({ total: data.total * 2 }) })
      .andThen({ id: 'tax', execute: ({ data }) => ({ total: data.total + 7 }) })
      .andThen({ id: 'book', execute: ({ data }) => data.total }),
    createWorkflow({ id: 'approval', resumeSchema: Type.Object({ by: Type.String() }) })
      .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs approval') })
      .andThen({ id: 'ship', execute: ({ data }) => data }),
    createWorkflow({ id: 'ticker' }).andThen({
      id: 'tick',
      execute: async ({ signal, writer }) => {
        for (let tick = 0; tick < 20; tick += 1) {
          await delay(500, undefined, { signal });
          writer.write({ type: 'custom-tick', tick });
        }
        return 'ticked';
      },
    }),
  ],
  auth: { mode: 'policy', provider: { type: 'soak', verifyToken: (token) => ({ id: token }) }, consoleKey },
  storage,
  logger: { level: 'info' },
  signals: false,
});
plant(settings.plant);
const url = await server.listen({ port: 0, host: '127.0.0.1' });
process.on('message', (question) => {
  if (question === 'close') return void server.close().then(() => process.exit(0));
  void report().then((answer) => process.send?.(answer));
});
process.once('disconnect', () => process.exit(1));
process.send?.(url);

async function report(): Promise<SoakReport> {
  await yieldToEventLoop();
  globalThis.gc?.();
  const handles = process
    .getActiveResourcesInfo()
    .filter((kind) => kind !== 'Timeout' && kind !== 'Immediate' && kind !== 'TickObject').length;
  const { heapUsed, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, rssBytes: rss, handles };
}

/** Adds a fault that the verdict must find. */
function plant(fault: SoakSettings['plant']): void {
  if (fault === undefined) return;
  const retained: unknown[] = [];
  server.app.addHook('onRequest', async () => {
    if (fault === 'leaked-heap') retained.push(Array.from({ length: 4_000 }, Math.random));
    else retained.push(createTcpServer().listen(0, '127.0.0.1'));
  });
}
