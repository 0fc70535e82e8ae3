import type { ClaimNextOptions, ExhaustedExecution, Lease, NextExecutions } from '@halyard/contracts';
import type { Database } from '../../connection/database.ts';
import { fromText, toText } from '../../connection/text-codec.ts';
import { toClaimedExecution } from '../rows/execution-rows.ts';
import { toDefinitions } from '../rows/sql-arguments.ts';

/** More than any execution has claims in a row without a commit, and than any process has slots. */
const unlimited = 2_147_483_647;

interface NextRow {
  readonly kind: 'claimed' | 'exhausted' | 'left-out' | 'next';
  readonly value: string | null;
}

/**
 * Claims due executions. Claims whose reply was lost end with their lease, and a repeated call
 * claims others.
 */
export async function claimNext(
  database: Database,
  { leaseMs, runner }: Lease,
  { definitions, freeSlots = unlimited, limit, maxClaims = unlimited }: ClaimNextOptions,
): Promise<NextExecutions> {
  const parameters = [
    toText(runner),
    Math.ceil(leaseMs),
    JSON.stringify(toDefinitions(definitions)),
    limit,
    Math.min(freeSlots, unlimited),
    maxClaims,
    database.shiftMs,
  ];
  const rows = await database.call<NextRow>('claim_next', parameters);
  const valuesOf = (kind: NextRow['kind']): readonly string[] =>
    rows.flatMap((row) => (row.kind === kind ? (row.value ?? []) : []));
  const [nextDueInMs] = valuesOf('next').map(Number);
  return {
    claimed: valuesOf('claimed').map(toClaimedExecution),
    exhausted: valuesOf('exhausted').map(toExhausted),
    nextDueInMs,
    hasLeftOut: rows.some(({ kind }) => kind === 'left-out'),
  };
}

function toExhausted(json: string): ExhaustedExecution {
  const row = JSON.parse(json) as {
    readonly id: string;
    readonly workflow_id: string;
    readonly claims_without_commit: number;
  };
  return {
    executionId: fromText(row.id),
    workflowId: fromText(row.workflow_id),
    claimsWithoutCommit: row.claims_without_commit,
  };
}
