import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { api, readData } from '../../api/client.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { formatCount, shortId } from '../../ui/format.ts';
import { ErrorState } from '../../ui/notice.tsx';
import { Progress } from '../../ui/progress.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { notifyFailure } from '../../ui/toast.tsx';
import { operations } from './bulk-operations.ts';
import styles from './bulk.module.css';

/**
 * The progress of a bulk operation, and its report. The server continues it, whether somebody
 * watches or not.
 */
export function BulkProgress({
  bulkId,
  onClose,
}: {
  readonly bulkId: string;
  readonly onClose: () => void;
}): ReactNode {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['executions', 'bulk', bulkId],
    queryFn: ({ signal }) =>
      readData(api.GET('/workflows/executions/bulk/{bulkId}', { params: { path: { bulkId } }, signal })),
    refetchInterval: ({ state }) => (state.data?.endAt === null ? 700 : false),
  });
  const cancel = useMutation({
    mutationFn: () =>
      readData(api.POST('/workflows/executions/bulk/{bulkId}/cancel', { params: { path: { bulkId } }, body: {} })),
    onSettled: () => refetch(),
    onError: notifyFailure,
  });
  const hasEnded = data !== undefined && data.endAt !== null;
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ queryKey: ['executions', 'count'] });
  }, [hasEnded, client]);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return null;
  const { failed, failures, matched, operation, skipped, skips, status, succeeded } = data;
  return (
    <section className={styles.progress} aria-label="Bulk operation">
      <header>
        <StateMark state={status} />
        <p role="status">
          {formatCount(succeeded)} of {formatCount(matched)} {operations[operation].name}
          {skipped > 0 && `, ${formatCount(skipped)} skipped`}
          {failed > 0 && `, ${formatCount(failed)} failed`}
        </p>
        <span>
          {!hasEnded && (
            <Button look="danger" isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
              Stop
            </Button>
          )}
          <IconButton icon="close" label="Hide the report" onClick={onClose} />
        </span>
      </header>
      <Progress label="Progress" value={succeeded + skipped + failed} max={matched} />
      {data.error !== undefined && <p className={styles.failure}>{data.error.message}</p>}
      <Refusals title="Failed" refusals={failures} />
      <Refusals title="Skipped" refusals={skips} />
    </section>
  );
}

function Refusals({
  refusals,
  title,
}: {
  readonly title: string;
  readonly refusals: readonly { executionId: string; workflowId: string; message: string }[];
}): ReactNode {
  if (refusals.length === 0) return null;
  return (
    <details>
      <summary>
        {title}: {refusals.length}
        {refusals.length === 200 && ' (the first of them)'}
      </summary>
      <ul className={styles.list}>
        {refusals.map(({ executionId, message, workflowId }) => (
          <li key={executionId}>
            <Link to="/executions/$workflowId/$executionId" params={{ workflowId, executionId }}>
              <code title={executionId}>{shortId(executionId)}</code>
            </Link>{' '}
            {message}
          </li>
        ))}
      </ul>
    </details>
  );
}
