import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Extensions, PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

export interface SyncedDatabaseOptions {
  readonly extensions?: Extensions;
  /** Writes a file or directory to the disk. Tests replace it. */
  readonly syncFile?: (fd: number) => void;
}

type FileSystemSetup = Awaited<ReturnType<NodeFS['init']>>;

/**
 * Opens a database that writes commits to the disk before they are acknowledged, so that they survive a power failure. PGlite starts PostgreSQL without fsync, and its file
 * system ignores it.
 */
export async function openSyncedDatabase(
  dataDir: string,
  { extensions = {}, syncFile = fsyncSync }: SyncedDatabaseOptions,
): Promise<PGlite> {
  const startParams = [
    ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    // The default, fdatasync, never reaches the file system.
    '-c',
    'wal_sync_method=fsync',
  ];
  const database = await PGlite.create({ fs: new SyncedFileSystem(dataDir, syncFile), startParams, extensions });
  // The files may have been created, or changed, without fsync.
  syncAll(dataDir, syncFile);
  return database;
}

class SyncedFileSystem extends NodeFS {
  readonly #syncFile: (fd: number) => void;

  constructor(dataDir: string, syncFile: (fd: number) => void) {
    super(dataDir);
    this.#syncFile = syncFile;
  }

  override async init(...args: Parameters<NodeFS['init']>): Promise<FileSystemSetup> {
    const { emscriptenOpts } = await super.init(...args);
    const preRun = [emscriptenOpts.preRun ?? []].flat();
    preRun.push((module: { readonly FS: { readonly filesystems: { readonly NODEFS: NodeFileSystem } } }) => {
      module.FS.filesystems.NODEFS.stream_ops.fsync = ({ nfd }) => {
        this.#syncFile(nfd);
        return 0;
      };
    });
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

/** The part of Emscripten's file system in directories that is used here. */
interface NodeFileSystem {
  readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number };
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
