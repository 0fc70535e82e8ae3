import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { components } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FilterSelect } from '../../ui/filters.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { findStep, pathOfStep } from '../workflows/workflow-graph.ts';
import { applyOperation, type Outcome } from './apply-operation.ts';
import type { StepRun } from './execution-model.ts';
import styles from './execution.module.css';

type ExecutionState = components['schemas']['ExecutionState'];
type WorkflowDetail = components['schemas']['WorkflowDetail'];

interface RerunProps {
  readonly execution: ExecutionState;
  readonly workflow: WorkflowDetail;
  readonly runs: readonly StepRun[];
  readonly action: 'rewind' | 'replay';
  /** The step to start at, if it is chosen already. */
  readonly instance?: string;
  readonly onClose: () => void;
}

const texts = {
  rewind: {
    title: 'Rewind this execution',
    does: 'What was recorded from this step on is deleted, and the same execution runs again from there. Changes of its state by these steps are undone; effects outside are not.',
    verb: 'Rewind and run',
  },
  replay: {
    title: 'Replay from a step',
    does: 'A new execution starts at this step with what was recorded before it. This execution stays as it is.',
    verb: 'Start the replay',
  },
} as const;

/**
 * Runs a part of an execution again: the same execution, or a new one with the same or changed
 * data.
 */
export function RerunDialog(props: RerunProps): ReactNode {
  const { action, onClose, runs } = props;
  const choices = [...new Set(runs.filter((run) => !run.isSuperseded).map((run) => run.instance))];
  const failed = runs.findLast((run) => run.state === 'error' && !run.isSuperseded)?.instance;
  const [chosen, setChosen] = useState(props.instance ?? failed ?? choices[0]);
  const { does, title } = texts[action];
  return (
    <Dialog isOpen onClose={onClose} title={title} description={does}>
      <div className={styles.rerun}>
        <FilterSelect
          label="From the step"
          value={chosen}
          all={null}
          options={choices}
          onChange={(next) => setChosen(next)}
        />
        {chosen !== undefined && <RerunForm key={chosen} {...props} instance={chosen} />}
      </div>
    </Dialog>
  );
}

function RerunForm({
  action,
  execution,
  instance,
  onClose,
  runs,
  workflow,
}: RerunProps & { readonly instance: string }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { executionId, workflowId } = execution;
  const run = runs.findLast((each) => each.instance === instance);
  const path = pathOfStep(workflow.steps, run?.stepId ?? instance) ?? instance;
  const topLevelId = path.split('/')[0] ?? path;
  const topLevel = findStep(workflow.steps, topLevelId);
  const recorded = runs.findLast((each) => each.stepId === topLevelId);
  const isFirst = workflow.steps[0]?.id === topLevelId;
  const [isChanged, setChanged] = useState(false);
  const input = useSchemaForm(topLevel?.inputSchema ?? (isFirst ? workflow.inputSchema : undefined), recorded?.input);
  const step = findStep(workflow.steps, path);
  const hasWaited = runs.some((each) => each.instance === instance && each.pauses.length > 0);
  const resumeSchema = step?.resumeSchema ?? (hasWaited ? workflow.resumeSchema : null);
  const [isAnswered, setAnswered] = useState(false);
  const answer = useSchemaForm(resumeSchema);
  const rerun = useMutation({
    mutationFn: async ({ inputData, resumeData }: { inputData?: unknown; resumeData?: unknown }): Promise<Outcome> => {
      const data = { ...(resumeData !== undefined && { resumeData }) };
      const details = { stepId: instance, ...data, ...(inputData !== undefined && { inputData }) };
      const operation = action === 'rewind' ? 'resume' : action;
      return applyOperation({ id: executionId, workflowId }, { operation, ...details });
    },
    onSuccess: ({ executionId: runningId, status = 'running' }) => {
      onClose();
      if (action === 'rewind') {
        notify(`The execution was rewound to ${instance}, and is ${status} now.`);
        return;
      }
      notify(`The replay is ${status}.`);
      void navigate({
        to: '/executions/$workflowId/$executionId',
        params: { workflowId, executionId: runningId },
      });
    },
    onError: notifyFailure,
    onSettled: () => client.invalidateQueries({ queryKey: ['executions'] }),
  });
  const submit = (): void => {
    const withAnswer = (inputData?: unknown): void => {
      if (isAnswered) answer.accept((resumeData) => rerun.mutate({ inputData, resumeData }));
      else rerun.mutate({ inputData });
    };
    if (isChanged) input.accept(withAnswer);
    else withAnswer();
  };
  return (
    <form
      className={styles.rerun}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {action === 'replay' && (
        <label className={styles.check}>
          <input type="checkbox" checked={isChanged} onChange={(event) => setChanged(event.target.checked)} />
          Change the data that <code>{topLevelId}</code> receives
        </label>
      )}
      {isChanged && <SchemaForm form={input} label="Data" onSubmit={submit} />}
      {resumeSchema !== null && (
        <label className={styles.check}>
          <input type="checkbox" checked={isAnswered} onChange={(event) => setAnswered(event.target.checked)} />
          Answer <code>{instance}</code> at once, instead of letting it wait
        </label>
      )}
      {isAnswered && <SchemaForm form={answer} label="Answer" onSubmit={submit} />}
      <div className={styles.buttons}>
        <Button onClick={onClose}>Leave it</Button>
        <Button type="submit" look="main" isBusy={rerun.isPending}>
          {texts[action].verb}
        </Button>
      </div>
    </form>
  );
}
