import { bodyOf } from './bodies-in-flight.ts';
import { type BodyLine, readAllBodies } from './body-log.ts';

/** A process that was lost, and the bodies that it had begun and not recorded. */
export interface LostBodies {
  /** Of the process. */
  readonly replica: string;
  readonly bodies: ReadonlySet<string>;
  /** When it went on, if it was only stopped: what it has in hand it still begins, until it finds that it lost its leases. */
  readonly wentOnAt?: number;
}

/** How long a process that went on may take to find out. */
const graceMs = 3_000;

export interface Reruns {
  readonly bodies: number;
  readonly reruns: number;
  /** Of them: begun by a process that had just gone on. */
  readonly lateStarts: number;
  readonly fenced: number;
  readonly problems: readonly string[];
}

/** Each body that ran more than once must have been in flight in a process that was lost, and only once for each such loss. */
export function checkReruns(directory: string, losses: readonly LostBodies[]): Reruns {
  const lines = readAllBodies(directory);
  const lostIn = new Map<string, Set<string>>();
  for (const { bodies, replica } of losses) lostIn.set(replica, (lostIn.get(replica) ?? new Set()).union(bodies));
  const last = new Map<string, BodyLine>();
  const problems: string[] = [];
  let reruns = 0;
  let lateStarts = 0;
  for (const line of lines) {
    if (line.kind !== 'start') continue;
    const body = bodyOf(line);
    const before = last.get(body);
    if (before !== undefined && hasJustGoneOn(line, losses)) {
      lateStarts += 1;
      continue;
    }
    last.set(body, line);
    if (before === undefined) continue;
    reruns += 1;
    if (lostIn.get(before.replica)?.has(body) !== true)
      problems.push(`${body} ran again on ${line.replica}, and was not in flight when ${before.replica} was lost`);
  }
  const bodies = lines.filter(({ kind }) => kind === 'start').length;
  return { bodies, reruns, lateStarts, fenced: lines.filter(({ kind }) => kind === 'fenced').length, problems };
}

function hasJustGoneOn({ at, replica }: BodyLine, losses: readonly LostBodies[]): boolean {
  return losses.some(
    (loss) =>
      loss.replica === replica && loss.wentOnAt !== undefined && at >= loss.wentOnAt && at < loss.wentOnAt + graceMs,
  );
}
