/** The worker thread of an embedded database. A thread, because creating a database takes seconds and each query blocks until it is done. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { type Extensions, PGlite } from '@electric-sql/pglite';

export interface ThreadOptions {
  /** A directory, or `memory://`. */
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

export type WorkerReply = WorkerResult | { readonly id: number; readonly failure: WorkerFailure };

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
}

const { dataDir, fsync } = workerData as ThreadOptions;
const database = dataDir.startsWith('memory://') ? createDatabase() : openDirectory();
let lastQuery: Promise<void> = Promise.resolve();

parentPort?.on('message', (request: WorkerRequest) => {
  lastQuery = lastQuery.then(() => handle(request));
});

/** Starts over when an earlier process ended while it created the database: it had not stored anything yet. */
async function openDirectory(): Promise<PGlite> {
  const completeMarker = `${dataDir}.complete`;
  if (!existsSync(completeMarker)) rmSync(dataDir, { recursive: true, force: true });
  const opened = await createDatabase();
  writeFileSync(completeMarker, '');
  return opened;
}

async function createDatabase(): Promise<PGlite> {
  const extensions = await installedExtensions();
  if (!fsync) return PGlite.create(dataDir, { extensions });
  const { openSyncedDatabase } = await import('./synced-database.ts');
  return openSyncedDatabase(dataDir, { extensions });
}

/** Extensions can only be added when a database is opened. An unused one costs little, so every installed extension is added. */
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
  const reply: WorkerReply = await run(request).catch((error: unknown) => ({
    id: request.id,
    failure: toFailure(error),
  }));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(reply);
}

async function run({ id, text, values = [] }: WorkerRequest): Promise<WorkerResult> {
  const db = await database;
  if (text === undefined) {
    await db.close();
    return { id, rows: [], affectedRows: 0 };
  }
  const result = values.length === 0 ? (await db.exec(text)).at(-1) : await db.query(text, [...values]);
  return { id, rows: result?.rows ?? [], affectedRows: result?.affectedRows ?? 0 };
}

function toFailure(error: unknown): WorkerFailure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, severity } = error as Error & { readonly code?: unknown; readonly severity?: unknown };
  return {
    message: error.message,
    code: typeof code === 'string' ? code : undefined,
    severity: typeof severity === 'string' ? severity : undefined,
  };
}
