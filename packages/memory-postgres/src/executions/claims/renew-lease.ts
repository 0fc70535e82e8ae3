import type { Lease } from '@halyard/contracts';
import type { Database } from '../../connection/database.ts';
import { fromText, toText } from '../../connection/text-codec.ts';

export interface HeldExecution {
  readonly executionId: string;
  readonly epoch: number;
}

/** Renews the lease of a runner. @returns the ids of those in `held` that it has lost. */
export async function renewLease(
  database: Database,
  held: readonly HeldExecution[],
  { leaseMs, runner }: Lease,
): Promise<readonly string[]> {
  const lost = await database.callScalar<string>('renew_lease', [
    toText(runner),
    held.map(({ executionId }) => toText(executionId)),
    held.map(({ epoch }) => epoch),
    Math.ceil(leaseMs),
    database.shiftMs,
  ]);
  return lost.map(fromText);
}
