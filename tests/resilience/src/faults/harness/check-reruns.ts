import { bodyOf } from './bodies-in-flight.ts';
import { type BodyLine, readAllBodies } from './body-log.ts';
import type { CpuWaits } from './cpu-waits.ts';

/** A process that was lost, and the step bodies that were in flight. */
export interface LostBodies {
  /** The name of the process. */
  readonly replica: string;
  readonly bodies: ReadonlySet<string>;
  /**
   * When the process continued, if it was only paused. It may still start step bodies until it
   * notices that its leases are lost.
   */
  readonly continuedAt?: number;
}

/** How long a process may take to notice that its leases are lost. */
const graceMs = 3_000;

export interface Reruns {
  readonly bodies: number;
  readonly reruns: number;
  /** Starts by a process that had just continued. They do not count as reruns. */
  readonly lateStarts: number;
  /**
   * Reruns of bodies whose process could not renew its lease, because it or the database got no
   * CPU.
   */
  readonly starvedReruns: number;
  readonly fenced: number;
  readonly problems: readonly string[];
}

/**
 * Checks that each step body that ran again had been in flight in a process that was lost, at most
 * once for each loss, or that got no CPU.
 */
export function checkReruns(
  directory: string,
  losses: readonly LostBodies[],
  { cpuWaits, leaseMs }: { readonly leaseMs: number; readonly cpuWaits: CpuWaits },
): Reruns {
  const lines = readAllBodies(directory);
  const lostIn = new Map<string, Set<string>>();
  for (const { bodies, replica } of losses) lostIn.set(replica, (lostIn.get(replica) ?? new Set()).union(bodies));
  const last = new Map<string, BodyLine>();
  const problems: string[] = [];
  let reruns = 0;
  let lateStarts = 0;
  let starvedReruns = 0;
  for (const line of lines) {
    if (line.kind !== 'start') continue;
    const body = bodyOf(line);
    const before = last.get(body);
    if (before !== undefined && hasJustContinued(line, losses)) {
      lateStarts += 1;
      continue;
    }
    last.set(body, line);
    if (before === undefined) continue;
    reruns += 1;
    if (lostIn.get(before.replica)?.has(body) === true) continue;
    if (cpuWaits.mayHaveEndedLease(leaseMs, before.at, line.at)) starvedReruns += 1;
    else problems.push(`${body} ran again on ${line.replica}, and was not in flight when ${before.replica} was lost`);
  }
  const bodies = lines.filter(({ kind }) => kind === 'start').length;
  return {
    bodies,
    reruns,
    lateStarts,
    starvedReruns,
    fenced: lines.filter(({ kind }) => kind === 'fenced').length,
    problems,
  };
}

function hasJustContinued({ at, replica }: BodyLine, losses: readonly LostBodies[]): boolean {
  return losses.some(
    (loss) =>
      loss.replica === replica &&
      loss.continuedAt !== undefined &&
      at >= loss.continuedAt &&
      at < loss.continuedAt + graceMs,
  );
}
