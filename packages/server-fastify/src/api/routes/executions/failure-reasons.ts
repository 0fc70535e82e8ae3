import type { Execution, Owner } from '@halyard/contracts';
import type { Services } from '../../services.ts';
import { type Failure, findFailures, readMessage } from '../observability/group-failures.ts';
import { readTelemetry } from '../observability/observability.ts';

/** Of these executions together: a trace may have any number of failed spans. */
const mostSpans = 1_000;
/** Spans have the time of their process, executions perhaps that of the database. */
const clockSkewMs = 60_000;

/**
 * Why executions failed: the first failure that is recorded inside each. Its users do not read it,
 * because the message is that of any error, of a driver or a provider.
 */
export async function findFailureReasons(
  services: Pick<Services, 'telemetry'>,
  owner: Owner,
  executions: readonly Execution[],
): Promise<ReadonlyMap<string, { readonly failureReason: string }>> {
  const traceIds = executions.flatMap(({ metadata: { traceId }, status }) =>
    status === 'error' && typeof traceId === 'string' ? [traceId] : [],
  );
  const store = owner === 'anyone' && traceIds.length > 0 ? await readTelemetry(services) : undefined;
  if (store === undefined) return new Map();
  const from = Math.min(...executions.map(({ createdAt }) => createdAt)) - clockSkewMs;
  const { spans } = await store.listSpans(owner, { status: 'error', traceIds, from, limit: mostSpans, offset: 0 });
  return new Map(
    findFailures(spans).flatMap((failure) =>
      executionsAround(failure).map((id) => [id, { failureReason: readMessage(failure.origin) }]),
    ),
  );
}

function executionsAround({ around, origin }: Failure): readonly string[] {
  return [origin, ...around].flatMap(({ attributes: { 'halyard.execution.id': id } }) =>
    typeof id === 'string' ? [id] : [],
  );
}
