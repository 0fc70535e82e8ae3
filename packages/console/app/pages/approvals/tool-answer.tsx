import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useAnswer } from './use-answer.ts';
import type { Approval } from './use-approvals.ts';
import styles from './approvals.module.css';

/** Approves a tool call, or denies it with a reason that the model reads. */
export function ToolAnswer({
  approval,
  onAnswered,
}: {
  readonly approval: Approval;
  readonly onAnswered: () => void;
}): ReactNode {
  const id = useId();
  const [reason, setReason] = useState('');
  const answer = useAnswer(approval, onAnswered);
  const send = (approved: boolean): void =>
    answer.mutate({ approved, ...(reason.trim() !== '' && { reason: reason.trim() }) });
  return (
    <div className={styles.answer}>
      <label htmlFor={id}>
        Reason <span>optional; the model reads it</span>
      </label>
      <textarea id={id} rows={2} maxLength={4_096} value={reason} onChange={(event) => setReason(event.target.value)} />
      {answer.error !== null && <p role="alert">{answer.error.message}</p>}
      <div className={styles.buttons}>
        <Button look="main" icon="check" isBusy={answer.isPending} onClick={() => send(true)}>
          Approve
        </Button>
        <Button icon="close" isBusy={answer.isPending} onClick={() => send(false)}>
          Deny
        </Button>
      </div>
    </div>
  );
}
