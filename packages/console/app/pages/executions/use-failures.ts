import { useQuery } from '@tanstack/react-query';
import { useIsRestricted } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import type { StepRun } from './execution-model.ts';

type ExecutionState = components['schemas']['ExecutionState'];
type Span = components['schemas']['Span'];

interface Failures {
  /** The span of the step that failed last, or that of the workflow. */
  readonly last: Span | undefined;
  /**
   * Why the attempts of a run failed, in their order. Empty where that was not recorded, or where
   * the records do not tell which attempt failed for which reason.
   */
  readonly reasonsOf: (run: StepRun) => readonly string[];
}

/**
 * The errors that the steps of an execution threw. They are in the trace only, which users do not
 * read; events say only which step failed.
 */
export function useFailures({
  endAt,
  error,
  executionId,
  metadata,
  rewinds,
}: Pick<ExecutionState, 'endAt' | 'error' | 'executionId' | 'metadata' | 'rewinds'>): Failures {
  const { traceId } = metadata as Readonly<Record<string, unknown>>;
  const isRestricted = useIsRestricted();
  const { data: spans = [] } = useQuery({
    queryKey: ['executions', 'failures', executionId, endAt, rewinds.length],
    enabled: typeof traceId === 'string' && !isRestricted,
    retry: false,
    queryFn: async ({ signal }) => {
      const params = { path: { traceId: String(traceId) }, query: { view: 'outline' as const } };
      const trace = await readData(api.GET('/observability/traces/{traceId}', { params, signal }));
      return trace.spans.filter(({ attributes }) => attributes['halyard.execution.id'] === executionId);
    },
  });
  const failed = spans.filter(({ status }) => status.code === 2);
  return {
    last: failed.findLast(({ attributes }) => attributes['halyard.step.id'] === error?.stepId) ?? failed.at(-1),
    reasonsOf: (run) => listReasons(spans, run),
  };
}

function listReasons(spans: readonly Span[], { attempts, error, instance, isSuperseded }: StepRun): readonly string[] {
  const reasons = spans
    .filter(({ attributes }) => attributes['halyard.step.id'] === instance)
    .flatMap(({ events, status }) => [
      ...events.flatMap(({ attributes, name }) => (name === 'retry' ? [attributes?.['exception.message']] : [])),
      ...(status.code === 2 ? [status.message] : []),
    ]);
  const expected = attempts.length + (error === undefined ? 0 : 1);
  return isSuperseded || reasons.length !== expected ? [] : reasons.map(String);
}
