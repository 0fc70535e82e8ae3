import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** An entry in the log of a replica. */
export interface BodyLine {
  /**
   * `start` and `end` of a step body; `effect`: it wrote something; `aborted`: its signal was
   * aborted; `fenced`: a commit was refused; `unanswered`: a commit failed.
   */
  readonly kind: 'start' | 'end' | 'effect' | 'aborted' | 'fenced' | 'unanswered';
  /** The process: `1.4` is the fourth process of the second replica. */
  readonly replica: string;
  /** The id of the root execution. */
  readonly execution: string;
  /** The path of the step; empty for a commit. */
  readonly path: string;
  /** Distinguishes retries and resumptions of the same step. */
  readonly attempt: string;
  readonly at: number;
}

/**
 * The log of a process. Each line is written synchronously, so that the log of a killed process is
 * complete.
 */
export class BodyLog {
  readonly #file: string;
  readonly #replica: string;

  constructor(file: string, replica: string) {
    this.#file = file;
    this.#replica = replica;
  }

  write(line: Omit<BodyLine, 'replica' | 'at'>): void {
    appendFileSync(this.#file, `${JSON.stringify({ ...line, replica: this.#replica, at: Date.now() })}\n`);
  }

  /** Whether this is the first call with this name in any process. */
  isFirst(name: string): boolean {
    try {
      writeFileSync(join(dirname(this.#file), `${name}.first`), '', { flag: 'wx' });
      return true;
    } catch {
      return false;
    }
  }
}

interface ReadLog {
  bytes: number;
  readonly lines: BodyLine[];
}

/** The logs that were read before. Scripts ask again and again, and logs become large. */
const readLogs = new Map<string, ReadLog>();

/** The lines that a process has written by now. */
export function readBodies(file: string): readonly BodyLine[] {
  if (!existsSync(file)) return [];
  const log = readLogs.get(file) ?? { bytes: 0, lines: [] };
  readLogs.set(file, log);
  const added = readFrom(file, log.bytes);
  // The last line of a killed process may be incomplete.
  const complete = added.subarray(0, added.lastIndexOf('\n') + 1);
  log.bytes += complete.length;
  for (const line of complete.toString().split('\n').slice(0, -1)) log.lines.push(JSON.parse(line) as BodyLine);
  return [...log.lines];
}

function readFrom(file: string, position: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(fstatSync(descriptor).size - position);
    return buffer.subarray(0, readSync(descriptor, buffer, { position }));
  } finally {
    closeSync(descriptor);
  }
}

export function bodyLogOf(directory: string, replica: string): string {
  return join(directory, `${replica}.bodies`);
}

export function readAllBodies(directory: string): readonly BodyLine[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.bodies'));
  return files.flatMap((name) => readBodies(join(directory, name))).toSorted((one, other) => one.at - other.at);
}
