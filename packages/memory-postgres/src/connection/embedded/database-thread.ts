import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type Extensions, PGlite } from '@electric-sql/pglite';
import type { WorkerAnswer, WorkerFailure, WorkerRequest } from './worker-messages.ts';

// Runs in a thread of its own: creating a database takes seconds of computing, and each query runs to its end.
const { dataDir } = workerData as { readonly dataDir: string };
const database = dataDir.startsWith('memory://') ? create() : openDirectory();
let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (request: WorkerRequest) => {
  last = last.then(() => answer(request));
});

/** A process that ended while it was creating the database has left half of one: nothing was acknowledged, and it is begun again. */
async function openDirectory(): Promise<PGlite> {
  const complete = `${dataDir}.complete`;
  if (!existsSync(complete)) rmSync(dataDir, { recursive: true, force: true });
  const opened = await create();
  writeFileSync(complete, '');
  return opened;
}

async function create(): Promise<PGlite> {
  return PGlite.create(dataDir, { extensions: await installedExtensions() });
}

/** An extension is given to a database when that opens, and takes little unless it is used: what is installed is given. */
async function installedExtensions(): Promise<Extensions> {
  try {
    import.meta.resolve('@electric-sql/pglite-pgvector');
  } catch {
    return {};
  }
  const { vector } = await import('@electric-sql/pglite-pgvector');
  return { vector };
}

async function answer(request: WorkerRequest): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(await answerOf(request));
}

async function answerOf({ id, text, values = [] }: WorkerRequest): Promise<WorkerAnswer> {
  try {
    const db = await database;
    if (text === undefined) {
      await db.close();
      return { id, rows: [], affectedRows: 0 };
    }
    // Without values there may be several statements.
    const result = values.length === 0 ? (await db.exec(text)).at(-1) : await db.query(text, [...values]);
    return { id, rows: result?.rows ?? [], affectedRows: result?.affectedRows ?? 0 };
  } catch (error) {
    return { id, failure: failureOf(error) };
  }
}

function failureOf(error: unknown): WorkerFailure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, severity } = error as Error & { readonly code?: unknown; readonly severity?: unknown };
  return {
    message: error.message,
    code: typeof code === 'string' ? code : undefined,
    severity: typeof severity === 'string' ? severity : undefined,
  };
}
