import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type * as server from '@halyard/server-fastify';
import { countedPool } from '../../packages/memory-postgres/bench/counted-pool.ts';
import { report } from '../../packages/memory-postgres/bench/measure.ts';
import { importCore, importStorage, packagesPath } from '../../packages/memory-postgres/bench/work-tree.ts';
import { startPostgresServer } from '../../packages/memory-postgres/src/testing/postgres-server.ts';

/*
 * Measures the statements of a server whose clients follow sleeping executions: none, and 500 over SSE, each its own execution.
 * Run: node --conditions=@halyard/source benchmarks/stores/idle-followers.ts
 * TREE: another work tree to measure instead.
 */
const { createWorkflow } = await importCore();
const { createPostgresStorage } = await importStorage();
const { createServer } = (await import(join(packagesPath, 'server-fastify/src/index.ts'))) as typeof server;
const clients = 500;
const seconds = 15;

const database = await startPostgresServer();
const { pool, statements } = countedPool(database.connectionString);
const storage = createPostgresStorage({ pool });
const end = new AbortController();
let ended = 0;
let running: server.HalyardServer | undefined;
try {
  running = await createServer({
    storage,
    workflows: [createWorkflow({ id: 'sleepy' }).andSleep({ id: 'nap', durationMs: 3_600_000 })],
    host: '127.0.0.1',
    port: 0,
    logger: false,
    limits: { streamsPerCaller: clients },
  });
  const url = `${await running.listen()}/workflows/sleepy/stream`;
  const none = await perSecond();
  await Promise.all(Array.from({ length: clients }, () => follow(url)));
  const all = await perSecond();
  if (ended > 0) throw new TypeError(`${ended} streams have ended`);
  report(
    `statements per second, ${clients} SSE clients of sleeping executions`,
    { all, 'without clients': none, 'of the clients': all - none },
    { 'of the clients': 2 },
  );
} finally {
  end.abort();
  await running?.close();
  // The pool waits for the connection that listens.
  await storage.close();
  await pool.end();
  await database.remove();
}

async function perSecond(): Promise<number> {
  // Followers that were begun before are not counted.
  await delay(3_000);
  statements.length = 0;
  await delay(seconds * 1_000);
  return statements.length / seconds;
}

/** Starts an execution, and follows it after its first event. */
async function follow(url: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"input":null}',
    signal: end.signal,
  });
  const events = response.body?.getReader();
  if (response.status !== 200 || events === undefined) throw new TypeError(`A stream was answered ${response.status}`);
  await events.read();
  void readToEnd(events);
}

async function readToEnd(events: ReadableStreamDefaultReader<unknown>): Promise<void> {
  try {
    while (!(await events.read()).done);
  } catch {
    // Aborted.
  }
  ended += 1;
}
