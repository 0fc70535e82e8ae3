/**
 * Records what a process does to files, for {@link RecordedDisk}. Preloaded with `--import`; also
 * in threads. HALYARD_RECORD names the file of records, HALYARD_RECORDED the directory.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve, sep } from 'node:path';
import { threadId } from 'node:worker_threads';

/** A change of a file. Its bytes, if any, follow its line. */
export type FileRecord =
  | { readonly op: 'open'; readonly handle: string; readonly path: string; readonly isTruncated: boolean }
  | { readonly op: 'write'; readonly handle: string; readonly position: number; readonly bytes: number }
  | { readonly op: 'sync'; readonly handle: string }
  | { readonly op: 'replace'; readonly path: string; readonly bytes: number }
  | { readonly op: 'truncate'; readonly path: string; readonly length: number }
  | { readonly op: 'rename'; readonly path: string; readonly to: string }
  | { readonly op: 'remove' | 'mkdir'; readonly path: string };

const { HALYARD_RECORD: recordFile = '', HALYARD_RECORDED: recorded = '' } = process.env;
const original = { ...fs };
const log = original.openSync(recordFile, 'a');
/** The paths and handles of open files, by descriptor. */
const open = new Map<number, { readonly path: string; readonly handle: string }>();
let opened = 0;

function pathOf(path: fs.PathLike | number): string | undefined {
  if (typeof path === 'number') return open.get(path)?.path;
  const full = resolve(String(path));
  return full === recorded || full.startsWith(recorded + sep) ? full : undefined;
}

function record(entry: FileRecord, content: Uint8Array = new Uint8Array()): void {
  original.writeSync(log, Buffer.concat([Buffer.from(`${JSON.stringify(entry)}\n`), content]));
}

function bytesOf(data: string | NodeJS.ArrayBufferView, offset = 0, length?: number): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return new Uint8Array(data.buffer, data.byteOffset + offset, length ?? data.byteLength - offset);
}

Object.assign(fs, {
  openSync: (path: fs.PathLike, flags: fs.OpenMode = 'r', mode?: fs.Mode) => {
    const fd = original.openSync(path, flags, mode);
    const found = pathOf(path);
    if (found !== undefined) {
      opened += 1;
      const handle = `${process.pid}.${threadId}.${opened}`;
      open.set(fd, { path: found, handle });
      const isTruncated = typeof flags === 'number' ? (flags & fs.constants.O_TRUNC) !== 0 : flags.startsWith('w');
      record({ op: 'open', handle, path: found, isTruncated });
    }
    return fd;
  },
  closeSync: (fd: number) => {
    open.delete(fd);
    original.closeSync(fd);
  },
  writeSync: (fd: number, data: NodeJS.ArrayBufferView, offset?: number, length?: number, position?: number) => {
    const written = original.writeSync(fd, data, offset, length, position);
    const file = open.get(fd);
    if (file === undefined) return written;
    if (typeof position !== 'number') throw new TypeError(`a write to ${file.path} without a position`);
    record({ op: 'write', handle: file.handle, position, bytes: written }, bytesOf(data, offset, written));
    return written;
  },
  fsyncSync: (fd: number) => {
    original.fsyncSync(fd);
    const file = open.get(fd);
    if (file !== undefined) record({ op: 'sync', handle: file.handle });
  },
  writeFileSync: (
    path: fs.PathOrFileDescriptor,
    data: string | NodeJS.ArrayBufferView,
    options?: fs.WriteFileOptions,
  ) => {
    original.writeFileSync(path, data, options);
    const found = typeof path === 'number' ? undefined : pathOf(path);
    if (found !== undefined) record({ op: 'replace', path: found, bytes: bytesOf(data).length }, bytesOf(data));
  },
  truncateSync: (path: fs.PathLike, length = 0) => {
    original.truncateSync(path, length);
    const found = pathOf(path);
    if (found !== undefined) record({ op: 'truncate', path: found, length });
  },
  ftruncateSync: (fd: number, length = 0) => {
    original.ftruncateSync(fd, length);
    const found = pathOf(fd);
    if (found !== undefined) record({ op: 'truncate', path: found, length });
  },
  renameSync: (path: fs.PathLike, to: fs.PathLike) => {
    original.renameSync(path, to);
    const [from, target] = [pathOf(path), pathOf(to)];
    if (from !== undefined && target !== undefined) record({ op: 'rename', path: from, to: target });
  },
  unlinkSync: (path: fs.PathLike) => {
    original.unlinkSync(path);
    const found = pathOf(path);
    if (found !== undefined) record({ op: 'remove', path: found });
  },
  rmSync: (path: fs.PathLike, options?: fs.RmOptions) => {
    original.rmSync(path, options);
    const found = pathOf(path);
    if (found !== undefined) record({ op: 'remove', path: found });
  },
  rmdirSync: (path: fs.PathLike) => {
    original.rmdirSync(path);
    const found = pathOf(path);
    if (found !== undefined) record({ op: 'remove', path: found });
  },
  mkdirSync: (path: fs.PathLike, options?: fs.MakeDirectoryOptions) => {
    const made = original.mkdirSync(path, options);
    const found = pathOf(path);
    if (found !== undefined) record({ op: 'mkdir', path: found });
    return made;
  },
});
syncBuiltinESMExports();
