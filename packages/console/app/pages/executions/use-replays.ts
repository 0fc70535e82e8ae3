import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '../../api/schema.ts';
import type { StoredEvent } from './execution-events.ts';
import type { Moment } from './moments.ts';
import { listExecutions } from './read-execution.ts';
import type { ExecutionRecord } from './use-execution-list.ts';

/** A replay of an execution. */
export interface Replay {
  readonly record: ExecutionRecord;
  /** The place, among the moments of the execution, at which its first step had started. */
  readonly at: number;
}

const mostReplays = 6;

/** The newest replays of an execution, where they branch off from it. */
export function useReplays(
  { executionId, workflowId }: Pick<components['schemas']['ExecutionState'], 'executionId' | 'workflowId'>,
  events: readonly StoredEvent[],
  moments: readonly Moment[],
): readonly Replay[] {
  const { data } = useQuery({
    queryKey: ['executions', 'one', executionId, 'replays'],
    queryFn: async ({ signal }) => {
      const metadata = JSON.stringify({ replayedFrom: executionId });
      return (await listExecutions({ workflowId, metadata, limit: mostReplays, offset: 0 }, signal)).rows;
    },
  });
  return useMemo(
    () => (data ?? []).map((record) => ({ record, at: findStart(record, events, moments) })),
    [data, events, moments],
  );
}

function findStart(
  { createdAt, events: own }: ExecutionRecord,
  events: readonly StoredEvent[],
  moments: readonly Moment[],
): number {
  const first = own.find(({ type }) => type.startsWith('step-'));
  const start = events.findLast(
    ({ from, timestamp, type }) => type === 'step-start' && from === first?.from && timestamp <= createdAt,
  );
  return Math.max(
    0,
    moments.findIndex(({ seq }) => seq === start?.seq),
  );
}
