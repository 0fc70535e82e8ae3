import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { useAnswer } from './use-answer.ts';
import type { Approval } from './use-approvals.ts';
import styles from './approvals.module.css';

/** Resumes an execution, with what its step asks for. */
export function StepAnswer({
  approval,
  onAnswered,
}: {
  readonly approval: Approval;
  readonly onAnswered: () => void;
}): ReactNode {
  const { kind, resumeSchema } = approval;
  const form = useSchemaForm(resumeSchema);
  const answer = useAnswer(approval, onAnswered);
  const isAsked = kind === 'step';
  const send = (resumeData: unknown): void => answer.mutate(resumeData === undefined ? {} : { resumeData });
  const submit = (): void => {
    if (!isAsked || (resumeSchema === null && form.value === undefined)) send(undefined);
    else form.accept(send);
  };
  return (
    <div className={styles.answer}>
      {isAsked && <SchemaForm form={form} label="Answer" onSubmit={send} />}
      {answer.error !== null && <p role="alert">{answer.error.message}</p>}
      <div className={styles.buttons}>
        <Button look="main" icon="play" isBusy={answer.isPending} onClick={submit}>
          Resume
        </Button>
      </div>
    </div>
  );
}
