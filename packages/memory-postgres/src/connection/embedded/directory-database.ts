import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Extensions, PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { ConfigurationError } from '@halyard/contracts';
import { EmbeddedDatabaseError } from './embedded-database-error.ts';

export interface DirectoryDatabaseOptions {
  readonly extensions?: Extensions | undefined;
  /**
   * Whether commits are written to the disk before they are acknowledged, so that they survive a
   * power failure.
   */
  readonly fsync: boolean;
  /** Writes a file or directory to the disk. Tests replace it. */
  readonly syncFile?: ((fd: number) => void) | undefined;
  /**
   * Called when the database has ended, with the reason. From then on PGlite may occupy its thread
   * for ever: only the end of the thread helps.
   */
  readonly onEnded?: ((reason: string) => void) | undefined;
}

type FileSystemSetup = Awaited<ReturnType<NodeFS['init']>>;

/**
 * Opens a database in a directory, or creates it. Starts over when an earlier process ended while
 * it created the database: it had not stored anything yet. PGlite itself starts PostgreSQL without
 * fsync, its file system ignores it, and it does not notice the end of PostgreSQL.
 */
export async function openDirectoryDatabase(
  dataDir: string,
  { extensions = {}, fsync, onEnded = () => {}, syncFile = fsyncSync }: DirectoryDatabaseOptions,
): Promise<PGlite> {
  const completeMarker = `${dataDir}.complete`;
  if (!existsSync(completeMarker)) rmSync(dataDir, { recursive: true, force: true });
  const startParams = fsync
    ? [
        ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
        // The default, fdatasync, never reaches the file system.
        '-c',
        'wal_sync_method=fsync',
      ]
    : PGlite.defaultStartParams;
  const fs = new DirectoryFileSystem(dataDir, onEnded, fsync ? syncFile : () => {});
  const database = await PGlite.create({ fs, startParams, extensions }).catch((error: unknown) => {
    // PGlite does not say why.
    throw fs.lastWords === '' ? error : new EmbeddedDatabaseError({ message: fs.lastWords });
  });
  // The files may have been created, or changed, without fsync.
  if (fsync) syncAll(dataDir, syncFile);
  writeFileSync(completeMarker, '');
  if (fsync) {
    syncPath(completeMarker, syncFile);
    syncParents(completeMarker, syncFile);
  }
  return database;
}

class DirectoryFileSystem extends NodeFS {
  readonly #onEnded: (reason: string) => void;
  readonly #syncFile: (fd: number) => void;
  /** PostgreSQL's log when it ended. */
  lastWords = '';

  constructor(dataDir: string, onEnded: (reason: string) => void, syncFile: (fd: number) => void) {
    super(dataDir);
    this.#onEnded = onEnded;
    this.#syncFile = syncFile;
  }

  override async init(...args: Parameters<NodeFS['init']>): Promise<FileSystemSetup> {
    const { emscriptenOpts } = await super.init(...args);
    const preRun = [emscriptenOpts.preRun ?? []].flat();
    preRun.push((module: EmscriptenModule) => {
      const { ErrnoError } = module.FS;
      findNodeFileSystem(module).stream_ops.fsync = ({ nfd }) => {
        try {
          this.#syncFile(nfd);
        } catch {
          // PostgreSQL gets only errors of this class, and ends. PGlite ignores others, and the
          // commit would count as done.
          throw new ErrnoError(inputOutputError);
        }
        return 0;
      };
    });
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun,
        printErr: (line: string) => {
          // The log of PostgreSQL: the time and the process id, then the severity.
          const found = /\b(?:PANIC|FATAL): .+/.exec(line);
          if (found !== null) [this.lastWords] = found;
        },
        onAbort: (reason: unknown) => this.#onEnded(this.lastWords === '' ? String(reason) : this.lastWords),
      },
    };
  }
}

/** Emscripten's number of EIO. */
const inputOutputError = 29;

/** The part of Emscripten's file systems that is used here. */
interface EmscriptenModule {
  /** From PGlite 0.5.15 on. */
  readonly NODEFS?: NodeFileSystem;
  readonly FS: {
    readonly ErrnoError: new (errno: number) => Error;
    /** Before PGlite 0.5.15. */
    readonly filesystems?: { readonly NODEFS: NodeFileSystem };
  };
}

interface NodeFileSystem {
  readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number };
}

function findNodeFileSystem({ FS, NODEFS = FS.filesystems?.NODEFS }: EmscriptenModule): NodeFileSystem {
  if (NODEFS === undefined)
    throw new ConfigurationError(
      'This version of @electric-sql/pglite is not supported: it has no file system for directories',
    );
  return NODEFS;
}

function syncAll(directory: string, syncFile: (fd: number) => void): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) syncAll(path, syncFile);
    else if (entry.isFile()) syncPath(path, syncFile);
  }
  syncPath(directory, syncFile);
}

function syncPath(path: string, syncFile: (fd: number) => void): void {
  const fd = openSync(path, 'r');
  try {
    syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes the names of a new file and of new directories above it to the disk. */
function syncParents(path: string, syncFile: (fd: number) => void): void {
  for (let [child, parent] = [path, dirname(path)]; parent !== child; [child, parent] = [parent, dirname(parent)]) {
    try {
      syncPath(parent, syncFile);
    } catch {
      // This process may not read it, and so has not created anything in it.
      return;
    }
  }
}
