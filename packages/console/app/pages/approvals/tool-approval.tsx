import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { type LaterCalls, LaterCallsField } from './later-calls-field.tsx';
import type { Approval } from './use-approvals.ts';
import { useResponse } from './use-response.ts';
import styles from './approvals.module.css';

/** Approves a tool call, also with other arguments, or denies it with a reason that the model reads. */
export function ToolApproval({
  approval,
  onResponse,
}: {
  readonly approval: Approval;
  readonly onResponse: () => void;
}): ReactNode {
  const id = useId();
  const [reason, setReason] = useState('');
  const [isChanging, setChanging] = useState(false);
  const form = useSchemaForm(null, approval.input);
  const response = useResponse(approval, onResponse);
  const [later, setLater] = useState<LaterCalls>();
  const given = reason.trim() !== '' && { reason: reason.trim() };
  const send = (approved: boolean): void =>
    response.mutate({ approved, ...given, ...(approved && later !== undefined && { always: later }) });
  const sendChanged = (input: unknown): void => response.mutate({ approved: true, input, ...given });
  const approve = (): void => (isChanging ? form.accept(sendChanged) : send(true));
  return (
    <div className={styles.answer}>
      {isChanging && <SchemaForm form={form} label="Changed arguments" onSubmit={sendChanged} />}
      <label htmlFor={id}>
        Reason <span>optional; the model reads it</span>
      </label>
      <textarea id={id} rows={2} maxLength={4_096} value={reason} onChange={(event) => setReason(event.target.value)} />
      {approval.allowsAlways && !isChanging && (
        <LaterCallsField approval={approval} value={later} onChange={setLater} />
      )}
      {response.error !== null && <p role="alert">{response.error.message}</p>}
      <div className={styles.buttons}>
        <Button look="main" icon="check" isBusy={response.isPending} onClick={approve}>
          {isChanging ? 'Change and approve' : later === undefined ? 'Approve' : 'Approve always'}
        </Button>
        <Button icon="close" isBusy={response.isPending} onClick={() => send(false)}>
          Deny
        </Button>
        {/* Several people must approve the same arguments. */}
        {approval.quorum === 1 && (
          <Button icon="edit" onClick={() => setChanging(!isChanging)}>
            {isChanging ? 'Keep the arguments' : 'Change the arguments'}
          </Button>
        )}
      </div>
      <p className={styles.keys}>
        <kbd>a</kbd> approves, <kbd>d</kbd> denies, <kbd>u</kbd> undoes it within 5 seconds. <kbd>j</kbd> and{' '}
        <kbd>k</kbd> move.
      </p>
    </div>
  );
}
