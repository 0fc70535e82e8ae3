import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMayOperate } from '../../access/credential.ts';
import { LookOnly } from '../../access/look-only.tsx';
import type { components } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { Ago } from '../../ui/time.tsx';
import { notify } from '../../ui/toast.tsx';
import { applyOperation } from './apply-operation.ts';
import styles from './execution.module.css';

type ExecutionState = components['schemas']['ExecutionState'];
type WaitingStep = components['schemas']['WaitingStep'];

/** The question of a suspended step, and a form for the resume data. */
export function WaitingPanel({
  execution,
  isOnly,
  suspension,
}: {
  readonly execution: ExecutionState;
  readonly suspension: WaitingStep;
  readonly isOnly: boolean;
}): ReactNode {
  const client = useQueryClient();
  const { event, kind, reason, resumeSchema, stepId, suspendData, suspendedAt, suspensionId } = suspension;
  const { executionId: id, workflowId } = execution;
  const form = useSchemaForm(resumeSchema);
  const isAsked = kind !== 'request';
  const mayOperate = useMayOperate(execution.userId);
  const resume = useMutation({
    mutationFn: (resumeData: unknown) =>
      applyOperation({ id, workflowId }, { operation: 'resume', suspensionId, resumeData }),
    onSuccess: ({ status = 'running' }) => notify(`The execution continued, and is ${status} now.`),
    onSettled: () => client.invalidateQueries({ queryKey: ['executions'] }),
  });
  const submit = (): void => {
    // A wait may be answered without a value unless its schema asks for one.
    if (resumeSchema === undefined && form.value === undefined) resume.mutate(undefined);
    else form.accept((value) => resume.mutate(value));
  };
  return (
    <section className={styles.waiting} aria-label={`Waits: ${reason}`}>
      <header>
        <h2 dir="auto">{reason}</h2>
        <p>
          {titles[kind]} <code>{stepId}</code> · suspended <Ago time={suspendedAt} />
          {event !== undefined && (
            <>
              . The event <code>{event.name}</code>
              {event.key !== null && (
                <>
                  {' '}
                  with the key <code>{event.key}</code>
                </>
              )}{' '}
              answers it too.
            </>
          )}
        </p>
      </header>
      <div className={styles.question}>
        {suspendData !== undefined && suspendData !== null && (
          <div className={styles.asked}>
            <h3>It asks with</h3>
            <JsonView value={suspendData} label="Data of the step" />
          </div>
        )}
        {mayOperate ? (
          <form
            className={styles.answer}
            onSubmit={(submitted) => {
              submitted.preventDefault();
              submit();
            }}
          >
            {isAsked && <SchemaForm form={form} label={kind === 'event' ? 'Payload' : 'Answer'} onSubmit={submit} />}
            {resume.error !== null && (
              <p className={styles.failure} role="alert">
                {resume.error.message}
              </p>
            )}
            <div>
              <Button type="submit" look="main" icon="play" isBusy={resume.isPending}>
                {isAsked ? (isOnly ? 'Resume' : `Resume ${stepId}`) : 'Continue'}
              </Button>
            </div>
          </form>
        ) : (
          <LookOnly />
        )}
      </div>
    </section>
  );
}

const titles: Readonly<Record<WaitingStep['kind'], string>> = {
  step: 'Waits for an answer at',
  approval: 'A tool call waits for approval at',
  request: 'Was suspended from outside before',
  event: 'Waits for an event at',
};
