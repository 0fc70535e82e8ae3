import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import type { Approval } from './use-approvals.ts';
import { useResponse } from './use-response.ts';
import styles from './approvals.module.css';

/** Approves a tool call, or denies it with a reason that the model reads. */
export function ToolApproval({
  approval,
  onResponse,
}: {
  readonly approval: Approval;
  readonly onResponse: () => void;
}): ReactNode {
  const id = useId();
  const [reason, setReason] = useState('');
  const response = useResponse(approval, onResponse);
  const send = (approved: boolean): void =>
    response.mutate({ approved, ...(reason.trim() !== '' && { reason: reason.trim() }) });
  return (
    <div className={styles.answer}>
      <label htmlFor={id}>
        Reason <span>optional; the model reads it</span>
      </label>
      <textarea id={id} rows={2} maxLength={4_096} value={reason} onChange={(event) => setReason(event.target.value)} />
      {response.error !== null && <p role="alert">{response.error.message}</p>}
      <div className={styles.buttons}>
        <Button look="main" icon="check" isBusy={response.isPending} onClick={() => send(true)}>
          Approve
        </Button>
        <Button icon="close" isBusy={response.isPending} onClick={() => send(false)}>
          Deny
        </Button>
      </div>
    </div>
  );
}
