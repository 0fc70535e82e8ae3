import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsUser } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import styles from './execution.module.css';

type ExecutionState = components['schemas']['ExecutionState'];

/**
 * Why an execution failed. Its own error says which step; what the step threw is in the trace only,
 * which its users do not read.
 */
export function FailureNotice({
  execution,
  onStep,
}: {
  readonly execution: ExecutionState;
  readonly onStep: (stepId: string) => void;
}): ReactNode {
  const cause = useCause(execution);
  const { error } = execution;
  if (error === undefined) return null;
  const { code, message, stepId } = error;
  return (
    <div className={styles.failure} role="alert">
      <b>{message}</b>
      {code !== undefined && <code>{code}</code>}
      {stepId !== undefined && (
        <button type="button" onClick={() => onStep(stepId)}>
          Show the step
        </button>
      )}
      {cause?.status.message !== undefined && cause.status.message !== message && (
        <p className={styles.cause}>
          {cause.status.message}{' '}
          <Link to="/traces/$traceId" params={{ traceId: cause.traceId }} search={{ span: cause.spanId }}>
            Show in the trace
          </Link>
        </p>
      )}
    </div>
  );
}

/**
 * The span of the step that failed last, or that of the workflow. Undefined where nothing was
 * recorded.
 */
function useCause({ endAt, error, executionId, metadata }: ExecutionState) {
  const { traceId } = metadata as Readonly<Record<string, unknown>>;
  const isUser = useIsUser();
  const { data } = useQuery({
    queryKey: ['executions', 'cause', executionId, endAt],
    enabled: error !== undefined && typeof traceId === 'string' && !isUser,
    retry: false,
    queryFn: async ({ signal }) => {
      const params = { path: { traceId: String(traceId) }, query: { view: 'outline' as const } };
      const { spans } = await readData(api.GET('/observability/traces/{traceId}', { params, signal }));
      const failed = spans.filter(
        ({ attributes, status }) => status.code === 2 && attributes['halyard.execution.id'] === executionId,
      );
      return (
        failed.findLast(({ attributes }) => attributes['halyard.step.id'] === error?.stepId) ?? failed.at(-1) ?? null
      );
    },
  });
  return data;
}
