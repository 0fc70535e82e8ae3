import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { SeededRandom } from '../../faults/harness/seeded-random.ts';
import type { FileRecord } from './record-files.ts';

/** Disks write at least this much at once. */
const blockBytes = 4_096;
const newline = 10;

/** A change that is not on the disk yet. Undefined bytes: the file was cut to `position`. */
interface Pending {
  readonly position: number;
  readonly bytes: Uint8Array | undefined;
}

/** A file, whatever its name is. */
interface File {
  /** The bytes on the disk. */
  content: Buffer;
  /** In their order. */
  pending: Pending[];
}

/** A change of names: `undefined` removes one. */
interface Naming {
  readonly path: string;
  readonly file: File | 'directory' | undefined;
}

type Names = Map<string, File | 'directory'>;

/**
 * The contents of a disk after recorded changes. Contents are on it after an fsync of their file.
 * Names (creations, removals, renames) are on it, in their order, after the next fsync of any file,
 * as with the journals of ext4 and XFS.
 */
export class RecordedDisk {
  readonly #root: string;
  readonly #records: Buffer;
  #at = 0;
  /** The names as the process sees them, and as they are on the disk. */
  readonly #seen: Names = new Map();
  readonly #names: Names = new Map();
  #pendingNames: Naming[] = [];
  readonly #handles = new Map<string, File>();

  /** @param root the directory whose changes were recorded. */
  constructor(root: string, recordFile: string) {
    this.#root = root;
    this.#records = readFileSync(recordFile);
  }

  /** Repeats the changes up to a number of bytes of the records. */
  advance(to: number): void {
    while (this.#at < to) {
      const end = this.#records.indexOf(newline, this.#at);
      const entry = JSON.parse(this.#records.toString('utf8', this.#at, end)) as FileRecord;
      const length = 'bytes' in entry ? entry.bytes : 0;
      // The process was killed while it wrote this.
      if (end === -1 || end + 1 + length > this.#records.length) return;
      this.#apply(entry, this.#records.subarray(end + 1, end + 1 + length));
      this.#at = end + 1 + length;
    }
  }

  /** Everything reaches the disk, as it does some time after the last change. */
  settle(): void {
    for (const file of this.#seen.values()) if (file !== 'directory') sync(file);
    this.#syncNames();
  }

  /**
   * Writes what a power failure leaves to a directory.
   *
   * @param random which of the pending blocks have reached the disk, in any order, and how many of
   * the pending names. Undefined: none.
   */
  leave(directory: string, random: SeededRandom | undefined): void {
    const names = new Map(this.#names);
    const kept = random === undefined ? 0 : random.between(0, this.#pendingNames.length);
    for (const naming of this.#pendingNames.slice(0, kept)) rename(names, naming);
    mkdirSync(directory, { recursive: true });
    for (const [path, file] of names) {
      const copy = join(directory, relative(this.#root, path));
      mkdirSync(file === 'directory' ? copy : dirname(copy), { recursive: true });
      if (file !== 'directory') writeFileSync(copy, random === undefined ? file.content : torn(file, random));
    }
  }

  /** The contents as the process sees them, to compare with the real ones. */
  *seen(): Generator<readonly [string, Buffer]> {
    for (const [path, file] of this.#seen)
      if (file !== 'directory') yield [path, file.pending.reduce(applied, Buffer.from(file.content))];
  }

  #apply(entry: FileRecord, bytes: Uint8Array): void {
    switch (entry.op) {
      case 'open': {
        const found = this.#seen.get(entry.path);
        if (found === 'directory') return;
        const file = found ?? this.#create(entry.path);
        this.#handles.set(entry.handle, file);
        if (entry.isTruncated) file.pending.push({ position: 0, bytes: undefined });
        return;
      }
      case 'write':
        this.#handles.get(entry.handle)?.pending.push({ position: entry.position, bytes });
        return;
      case 'sync': {
        const file = this.#handles.get(entry.handle);
        if (file !== undefined) sync(file);
        this.#syncNames();
        return;
      }
      case 'replace': {
        const found = this.#seen.get(entry.path);
        const file = found === undefined || found === 'directory' ? this.#create(entry.path) : found;
        file.pending.push({ position: 0, bytes: undefined }, { position: 0, bytes });
        return;
      }
      case 'truncate': {
        const file = this.#seen.get(entry.path);
        if (file !== undefined && file !== 'directory') file.pending.push({ position: entry.length, bytes: undefined });
        return;
      }
      case 'rename':
        this.#name({ path: entry.to, file: this.#seen.get(entry.path) });
        this.#name({ path: entry.path, file: undefined });
        return;
      case 'remove':
        this.#name({ path: entry.path, file: undefined });
        return;
      case 'mkdir':
        this.#name({ path: entry.path, file: 'directory' });
        return;
      default:
        entry satisfies never;
    }
  }

  #create(path: string): File {
    const file: File = { content: Buffer.alloc(0), pending: [] };
    this.#name({ path, file });
    return file;
  }

  #name(naming: Naming): void {
    rename(this.#seen, naming);
    this.#pendingNames.push(naming);
  }

  #syncNames(): void {
    for (const naming of this.#pendingNames) rename(this.#names, naming);
    this.#pendingNames = [];
  }
}

function rename(names: Names, { file, path }: Naming): void {
  if (file === undefined) names.delete(path);
  else names.set(path, file);
}

function sync(file: File): void {
  file.content = file.pending.reduce(applied, file.content);
  file.pending = [];
}

function applied(content: Buffer, { bytes, position }: Pending): Buffer {
  if (bytes === undefined) return resized(content, position);
  const result = content.length < position + bytes.length ? resized(content, position + bytes.length) : content;
  result.set(bytes, position);
  return result;
}

function resized(content: Buffer, length: number): Buffer {
  if (length <= content.length) return content.subarray(0, length);
  const result = Buffer.alloc(length);
  result.set(content);
  return result;
}

/** Each pending block is there or not, by chance. */
function torn({ content, pending }: File, random: SeededRandom): Buffer {
  const blocks = pending.flatMap((change) => {
    if (change.bytes === undefined) return [change];
    const parts: Pending[] = [];
    for (let from = 0; from < change.bytes.length; from += blockBytes)
      parts.push({ position: change.position + from, bytes: change.bytes.subarray(from, from + blockBytes) });
    return parts;
  });
  return blocks.filter(() => random.next() < 0.5).reduce(applied, Buffer.from(content));
}
