import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import type { Approval } from './use-approvals.ts';
import { useResponse } from './use-response.ts';
import styles from './approvals.module.css';

/** Resumes an execution, with what its step asks for. */
export function StepResumption({
  approval,
  onResponse,
}: {
  readonly approval: Approval;
  readonly onResponse: () => void;
}): ReactNode {
  const { kind, resumeSchema } = approval;
  const form = useSchemaForm(resumeSchema);
  const response = useResponse(approval, onResponse);
  const isAsked = kind === 'step';
  const send = (resumeData: unknown): void => response.mutate(resumeData === undefined ? {} : { resumeData });
  const submit = (): void => {
    if (!isAsked || (resumeSchema === null && form.value === undefined)) send(undefined);
    else form.accept(send);
  };
  return (
    <div className={styles.answer}>
      {isAsked && <SchemaForm form={form} label="Answer" onSubmit={send} />}
      {response.error !== null && <p role="alert">{response.error.message}</p>}
      <div className={styles.buttons}>
        <Button look="main" icon="play" isBusy={response.isPending} onClick={submit}>
          Resume
        </Button>
      </div>
    </div>
  );
}
