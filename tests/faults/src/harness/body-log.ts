import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What one replica did, in the order that it did it. */
export interface BodyLine {
  /** `start`, `end`: of a step's body. `fenced`: a commit of its execution was refused. */
  readonly kind: 'start' | 'end' | 'fenced';
  /** The process: `1.4` is the fourth of the second replica. */
  readonly replica: string;
  /** The root's. */
  readonly execution: string;
  /** Where the step is in the tree of the root; `''` of a commit. */
  readonly path: string;
  /** Which run of the body is meant: another attempt, or with an answer, is another one. */
  readonly attempt: string;
  readonly at: number;
}

/** What a process writes down of its bodies, each line at once: a process that is killed has told all that it did. */
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

  /** Whether nobody has asked this of `name` before, in any process. */
  isFirst(name: string): boolean {
    try {
      writeFileSync(join(dirname(this.#file), `${name}.first`), '', { flag: 'wx' });
      return true;
    } catch {
      return false;
    }
  }
}

export function readBodies(file: string): readonly BodyLine[] {
  if (!existsSync(file)) return [];
  // The last line of a process that was killed may be cut.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as BodyLine);
}

export function bodyLogOf(directory: string, replica: string): string {
  return join(directory, `${replica}.bodies`);
}

export function readAllBodies(directory: string): readonly BodyLine[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.bodies'));
  return files.flatMap((name) => readBodies(join(directory, name))).toSorted((one, other) => one.at - other.at);
}
