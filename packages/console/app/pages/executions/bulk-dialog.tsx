import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatCount, shortId } from '../../ui/format.ts';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { workflowQuery } from '../workflows/workflows-query.ts';
import { type Operation, operations, skipReason } from './bulk-operations.ts';
import { type ExecutionSearch, toFilter } from './execution-filter.ts';
import { SelectedReport, useSelectedRun } from './selected-run.tsx';
import type { ExecutionRecord } from './use-execution-list.ts';
import styles from './bulk.module.css';

/**
 * Chooses what to do with many executions, and shows which ones it reaches before anything is
 * changed.
 */
export function BulkDialog({
  search,
  selected,
  onClose,
  onStarted,
  onChanged,
}: {
  readonly search: ExecutionSearch;
  readonly selected: readonly ExecutionRecord[];
  readonly onClose: () => void;
  /** A bulk operation of the server has begun. */
  readonly onStarted: (bulkId: string) => void;
  /** The selected executions were changed one by one, as a user's token allows. */
  readonly onChanged: () => void;
}): ReactNode {
  const [target, setTarget] = useState<'selected' | 'all'>(selected.length > 0 ? 'selected' : 'all');
  const [operation, setOperation] = useState<Operation>(firstOperation(search, selected));
  const [reason, setReason] = useState('');
  const [stepId, setStepId] = useState('');
  const { workflowId } = search;
  const { data: workflow } = useQuery({ ...workflowQuery(workflowId ?? ''), enabled: workflowId !== undefined });
  const answer = useSchemaForm(operation === 'resume' ? workflow?.resumeSchema : undefined, undefined);
  const input = useSchemaForm(undefined);
  const filter = toFilter(search);
  const isAll = Object.keys(filter).length === 0;
  const isRestricted = useIsRestricted();
  const matching = isAll ? { all: true as const } : { filter };
  const selection = target === 'selected' ? { filter: { ids: selected.map(({ id }) => id) } } : matching;
  const preview = useQuery({
    queryKey: ['executions', 'preview', search],
    queryFn: ({ signal }) => readData(api.POST('/workflows/executions/bulk/preview', { body: matching, signal })),
    enabled: target === 'all',
  });
  const details = {
    ...(operation === 'cancel' && reason !== '' && { reason }),
    ...((operation === 'resume' || operation === 'replay') && stepId !== '' && { stepId }),
    ...(operation === 'resume' && answer.value !== undefined && { resumeData: answer.value }),
    ...(operation === 'replay' && input.value !== undefined && { inputData: input.value }),
  };
  const start = useMutation({
    mutationFn: () =>
      readData(
        api.POST('/workflows/executions/bulk', {
          body: { operation, ...selection, ...details, requestId: `console-${Date.now()}-${Math.random()}` },
        }),
      ),
    onSuccess: ({ bulkId }) => onStarted(bulkId),
  });
  const run = useSelectedRun(onChanged);
  const { does, name, verb } = operations[operation];
  const reached = target === 'all' ? preview.data?.matched : selected.length;
  const isReady =
    reached !== undefined && reached > 0 && (operation !== 'replay' || stepId !== '') && run.state === 'idle';
  const confirm = (): void => {
    const form = operation === 'resume' ? answer : operation === 'replay' ? input : undefined;
    const go = (): void => (isRestricted ? run.start(selected, { operation, ...details }) : start.mutate());
    // An answer is not required: a wait can be answered without one.
    if (form === undefined || form.value === undefined || isEmptyObject(form.value)) go();
    else form.accept(go);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Change executions"
      description={does}
      footer={
        run.state === 'idle' ? (
          <>
            <Button onClick={onClose}>Keep them as they are</Button>
            <Button
              look={operation === 'cancel' ? 'danger' : 'main'}
              disabled={!isReady}
              isBusy={start.isPending}
              onClick={confirm}
            >
              {verb} {reached === undefined ? '' : formatCount(reached)} {reached === 1 ? 'execution' : 'executions'}
            </Button>
          </>
        ) : (
          <Button onClick={onClose}>{run.state === 'running' ? 'Continue in the background' : 'Close'}</Button>
        )
      }
    >
      {run.state !== 'idle' ? (
        <SelectedReport run={run} verb={name} />
      ) : (
        <div className={styles.form}>
          <Segmented
            label="Operation"
            value={operation}
            options={Object.entries(operations).map(([value, each]) => ({
              value: value as Operation,
              name: each.verb,
            }))}
            onChange={setOperation}
          />
          {selected.length > 0 && !isRestricted && (
            <Segmented
              label="Which executions"
              value={target}
              options={[
                { value: 'selected', name: `The ${formatCount(selected.length)} selected` },
                { value: 'all', name: isAll ? 'All executions' : 'All that match the filters' },
              ]}
              onChange={setTarget}
            />
          )}
          {operation === 'cancel' && (
            <TextField label="Reason" hint="Stored with each execution." value={reason} onChange={setReason} />
          )}
          {(operation === 'resume' || operation === 'replay') && (
            <TextField
              label={operation === 'replay' ? 'Start at the step' : 'Only those that wait at the step'}
              value={stepId}
              placeholder={operation === 'replay' ? 'the id of a step' : 'any'}
              onChange={setStepId}
            />
          )}
          {operation === 'resume' && <SchemaForm key={workflow?.id} form={answer} label="Answer for each" />}
          {operation === 'replay' && <SchemaForm form={input} label="Data for the step (empty: as recorded)" />}
          {target === 'selected' ? (
            <SelectedPreview selected={selected} operation={operation} />
          ) : preview.error !== null ? (
            <ErrorState error={preview.error} onRetry={() => void preview.refetch()} />
          ) : preview.data === undefined ? (
            <Loading what="the preview" />
          ) : (
            <section className={styles.preview} aria-label="Preview">
              <h3>
                {formatCount(preview.data.matched)}
                {preview.data.matched >= 10_000 && ' or more'}{' '}
                {preview.data.matched === 1 ? 'execution matches' : 'executions match'}
              </h3>
              <p>Those whose state does not allow it are skipped, and are named in the report.</p>
              <ul>
                {preview.data.executionIds.map((id) => (
                  <li key={id}>
                    <code title={id}>{shortId(id)}</code>
                  </li>
                ))}
                {preview.data.matched > preview.data.executionIds.length && <li>…</li>}
              </ul>
            </section>
          )}
          {start.error !== null && <p className={styles.failure}>{start.error.message}</p>}
        </div>
      )}
    </Dialog>
  );
}

function SelectedPreview({
  operation,
  selected,
}: {
  readonly operation: Operation;
  readonly selected: readonly ExecutionRecord[];
}): ReactNode {
  const skipped = selected.filter((record) => skipReason(operation, record) !== undefined);
  const reached = selected.length - skipped.length;
  return (
    <section className={styles.preview} aria-label="Preview">
      <h3>
        {formatCount(reached)} of {formatCount(selected.length)} will change
      </h3>
      <ul>
        {selected.slice(0, 20).map((record) => {
          const why = skipReason(operation, record);
          return (
            <li key={record.id}>
              <code title={record.id}>{shortId(record.id)}</code> {record.workflowName}
              {why !== undefined && <span className={styles.skipped}> is skipped: {why}</span>}
            </li>
          );
        })}
        {selected.length > 20 && <li>…</li>}
      </ul>
    </section>
  );
}

/** The operation that fits all of them. It never preselects an end: the person may not have looked. */
function firstOperation(
  { quarantined, status }: ExecutionSearch,
  selected: readonly Pick<ExecutionRecord, 'status'>[],
): Operation {
  const isEach = (wanted: ExecutionRecord['status']): boolean =>
    selected.length > 0 ? selected.every((record) => record.status === wanted) : status === wanted;
  if (quarantined === 'true' || isEach('suspended')) return 'resume';
  return isEach('completed') ? 'replay' : 'retry';
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
