import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import type { FailureGroup } from './failures-page.tsx';
import styles from './failures.module.css';

/** Asks before executions continue from the steps that failed; then shows the progress. */
export function RetryDialog({
  group: { executions, message },
  onClose,
}: {
  readonly group: FailureGroup;
  readonly onClose: () => void;
}): ReactNode {
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () => {
      const filter = { ids: executions.map(({ executionId }) => executionId), status: 'error' as const };
      const requestId = `console-${Date.now()}-${Math.random()}`;
      return readData(api.POST('/workflows/executions/bulk', { body: { operation: 'retry', filter, requestId } }));
    },
    onSuccess: ({ bulkId }) => void navigate({ to: '/executions', search: { bulk: bulkId } }),
  });
  const isOne = executions.length === 1;
  const count = formatCount(executions.length);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={isOne ? 'Retry the execution' : `Retry ${count} executions`}
      description={
        isOne
          ? 'It continues from the step that failed. If it has been retried since, and has not failed again, it stays as it is.'
          : 'Each continues from the step that failed. Those that have been retried since, and have not failed again, stay as they are.'
      }
      footer={
        <>
          <Button onClick={onClose}>Keep {isOne ? 'it as it is' : 'them as they are'}</Button>
          <Button look="main" icon="retry" isBusy={start.isPending} onClick={() => start.mutate()}>
            {isOne ? 'Retry' : `Retry ${count}`}
          </Button>
        </>
      }
    >
      <p className={styles.quoted} dir="auto">
        {message}
      </p>
      {start.error !== null && <p role="alert">{start.error.message}</p>}
    </Dialog>
  );
}
