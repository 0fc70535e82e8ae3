import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useMayOperate } from '../../access/credential.ts';
import { LookOnly } from '../../access/look-only.tsx';
import { RunAccess } from '../../access/run-access.tsx';
import { runApi, readRunData } from '../../api/run-client.ts';
import type { components } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { applyOperation, terminateExecution } from './apply-operation.ts';
import type { StepRun } from './execution-model.ts';
import { RerunDialog } from './rerun-dialog.tsx';

type ExecutionState = components['schemas']['ExecutionState'];
type WorkflowDetail = components['schemas']['WorkflowDetail'];

interface ActionsProps {
  readonly execution: ExecutionState;
  readonly workflow: WorkflowDetail | undefined;
  readonly runs: readonly StepRun[];
}

type Stop = 'suspend' | 'cancel' | 'terminate';
type Asked = Stop | 'rewind' | 'replay';

/**
 * The actions that the state of the execution allows. Each action explains itself before it runs.
 */
export function ExecutionActions({ execution, runs, workflow }: ActionsProps): ReactNode {
  const [asked, setAsked] = useState<Asked>();
  const mayOperate = useMayOperate(execution.userId);
  const { status } = execution;
  const isOpen = status === 'running' || status === 'suspended';
  const hasSteps = runs.length > 0 && workflow !== undefined;
  const close = (): void => setAsked(undefined);
  if (!mayOperate) return <LookOnly />;
  return (
    <>
      {workflow !== undefined && workflow.access !== 'server' && (
        <LinkButton
          to="/workflows/$workflowId"
          params={{ workflowId: execution.workflowId }}
          search={{ like: execution.executionId }}
          icon="play"
        >
          Run again
        </LinkButton>
      )}
      {status === 'error' && <RetryButton execution={execution} />}
      {status === 'suspended' && hasSteps && (
        <Button icon="rewind" onClick={() => setAsked('rewind')}>
          Rewind
        </Button>
      )}
      {hasSteps && (
        <Button icon="retry" onClick={() => setAsked('replay')}>
          Replay
        </Button>
      )}
      {status === 'running' && (
        <Button icon="pause" onClick={() => setAsked('suspend')}>
          Suspend
        </Button>
      )}
      {isOpen && (
        <Button icon="stop" look="danger" onClick={() => setAsked('cancel')}>
          Cancel
        </Button>
      )}
      {(asked === 'suspend' || asked === 'cancel' || asked === 'terminate') && (
        <StopDialog
          key={asked}
          execution={execution}
          action={asked}
          onClose={close}
          onTerminate={() => setAsked('terminate')}
        />
      )}
      {(asked === 'rewind' || asked === 'replay') && workflow !== undefined && (
        <RerunDialog execution={execution} workflow={workflow} runs={runs} action={asked} onClose={close} />
      )}
    </>
  );
}

function RetryButton({ execution }: { readonly execution: ExecutionState }): ReactNode {
  const client = useQueryClient();
  const { executionId, workflowId } = execution;
  const retry = useMutation({
    mutationFn: () => applyOperation({ id: executionId, workflowId }, { operation: 'retry' }),
    onSuccess: ({ status = 'running' }) => notify(`The execution was retried, and is ${status} now.`),
    onError: notifyFailure,
    onSettled: () => client.invalidateQueries({ queryKey: ['executions'] }),
  });
  return (
    <Button
      look="main"
      icon="retry"
      isBusy={retry.isPending}
      title="Runs the failed steps again. What succeeded stays."
      onClick={() => retry.mutate()}
    >
      Retry
    </Button>
  );
}

const texts = {
  suspend: {
    title: 'Suspend this execution?',
    does: 'It stops before its next step and waits until somebody resumes it. Nothing is lost.',
    verb: 'Suspend',
    keep: 'Let it run',
  },
  cancel: {
    title: 'Cancel this execution?',
    does: 'It ends now, with its sub-workflows, and cannot be resumed. Steps that can be undone are undone. It can be replayed later.',
    verb: 'Cancel the execution',
    keep: 'Keep it',
  },
  terminate: {
    title: 'Terminate this execution?',
    does: 'It ends at once, with its sub-workflows, whether a process can run it or not. Nothing is undone. It can be replayed later.',
    verb: 'Terminate the execution',
    keep: 'Keep it',
  },
} as const;

const done = {
  suspend: 'The execution is suspended.',
  cancel: 'The execution was cancelled.',
  terminate: 'The execution was terminated.',
} as const;

function StopDialog({
  action,
  execution,
  onClose,
  onTerminate,
}: {
  readonly action: Stop;
  readonly execution: ExecutionState;
  readonly onClose: () => void;
  readonly onTerminate: () => void;
}): ReactNode {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const { executionId, workflowId } = execution;
  const params = { path: { id: workflowId, executionId } };
  const { does, keep, title, verb } = texts[action];
  const stop = useMutation({
    mutationFn: async () => {
      const body = reason === '' ? {} : { reason };
      if (action === 'cancel') await applyOperation({ id: executionId, workflowId }, { operation: 'cancel', ...body });
      else if (action === 'terminate') await terminateExecution({ id: executionId, workflowId }, body);
      else await readRunData(runApi.POST('/workflows/{id}/executions/{executionId}/suspend', { params, body }));
    },
    onSuccess: () => {
      notify(done[action]);
      onClose();
    },
    onError: notifyFailure,
    onSettled: () => client.invalidateQueries({ queryKey: ['executions'] }),
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={does}
      footer={
        <>
          <Button onClick={onClose}>{keep}</Button>
          {action === 'cancel' && stop.isError && <Button onClick={onTerminate}>Terminate instead</Button>}
          <Button look={action === 'suspend' ? 'main' : 'danger'} isBusy={stop.isPending} onClick={() => stop.mutate()}>
            {verb}
          </Button>
        </>
      }
    >
      {action === 'suspend' && <RunAccess />}
      <TextField label="Reason" hint="Optional. Stored with the execution." value={reason} onChange={setReason} />
    </Dialog>
  );
}
