/**
 * The worker thread of an embedded database. A thread, because creating a database takes seconds
 * and each query blocks until it is done.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Extensions, PGlite } from '@electric-sql/pglite';
import { openDirectoryDatabase } from './directory-database.ts';

export interface ThreadOptions {
  readonly dataDir: string;
  /** Whether commits are written to the disk before they are acknowledged. */
  readonly fsync: boolean;
}

export interface WorkerRequest {
  readonly id: number;
  /** One statement, or several when there are no values. Absent: close the database. */
  readonly text?: string;
  readonly values?: readonly unknown[];
}

export type WorkerReply =
  | WorkerResult
  | { readonly id: number; readonly failure: WorkerFailure }
  /** The database has ended, with the reason. A query that is running may never return. */
  | { readonly ended: string };

export interface WorkerResult {
  readonly id: number;
  readonly rows: readonly unknown[];
  readonly affectedRows: number;
}

/** The fields of a database error. Messages between threads keep only the message of an `Error`. */
export interface WorkerFailure {
  readonly message: string;
  readonly code?: string | undefined;
  readonly severity?: string | undefined;
  /** The database was not opened, or has ended. */
  readonly isFatal?: boolean;
}

const { dataDir, fsync } = workerData as ThreadOptions;
const database = openDirectory();
let lastQuery: Promise<void> = Promise.resolve();

parentPort?.on('message', (request: WorkerRequest) => {
  lastQuery = lastQuery.then(() => handle(request));
});

async function openDirectory(): Promise<PGlite> {
  const extensions = await installedExtensions();
  return openDirectoryDatabase(dataDir, { extensions, fsync, onEnded: (ended) => send({ ended }) });
}

/**
 * Extensions can only be added when a database is opened. An unused one costs little, so every
 * installed extension is added.
 */
async function installedExtensions(): Promise<Extensions> {
  try {
    import.meta.resolve('@electric-sql/pglite-pgvector');
  } catch {
    return {};
  }
  const { vector } = await import('@electric-sql/pglite-pgvector');
  return { vector };
}

async function handle(request: WorkerRequest): Promise<void> {
  send(await run(request));
}

/** Messages arrive at once, even when this thread does not return from its query. */
function send(reply: WorkerReply): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(reply);
}

async function run({ id, text, values = [] }: WorkerRequest): Promise<WorkerReply> {
  let db: PGlite;
  try {
    db = await database;
  } catch (error) {
    return { id, failure: { ...toFailure(error), isFatal: true } };
  }
  if (text === undefined) {
    await db.close();
    return { id, rows: [], affectedRows: 0 };
  }
  try {
    const result = values.length === 0 ? (await db.exec(text)).at(-1) : await db.query(text, [...values]);
    return { id, rows: result?.rows ?? [], affectedRows: result?.affectedRows ?? 0 };
  } catch (error) {
    return { id, failure: toFailure(error) };
  }
}

function toFailure(error: unknown): WorkerFailure {
  if (!(error instanceof Error)) return { message: toText(error) };
  const { code, severity } = error as Error & { readonly code?: unknown; readonly severity?: unknown };
  return {
    message: error.message,
    code: typeof code === 'string' ? code : undefined,
    severity: typeof severity === 'string' ? severity : undefined,
    // PostgreSQL ends after these. PGlite does not, and never returns from the next query.
    isFatal: severity === 'PANIC' || severity === 'FATAL' || error.name === 'RuntimeError',
  };
}

/** Emscripten throws failures of its file system as objects with a number only. */
function toText(error: unknown): string {
  return typeof error === 'object' && error !== null && 'errno' in error
    ? `a file could not be read or written (error ${String(error.errno)})`
    : String(error);
}
