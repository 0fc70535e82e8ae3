import { type ReactNode, useCallback, useState } from 'react';
import { shortId } from '../../ui/format.ts';
import { Progress } from '../../ui/progress.tsx';
import { applyOperation } from './apply-operation.ts';
import { type OperationDetails, skipReason } from './bulk-operations.ts';
import type { ExecutionRecord } from './use-execution-list.ts';
import styles from './bulk.module.css';

const parallel = 6;

interface Failure {
  readonly id: string;
  readonly message: string;
}

interface SelectedRun {
  readonly state: 'idle' | 'running' | 'done';
  readonly total: number;
  readonly succeeded: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
  readonly start: (selected: readonly ExecutionRecord[], details: OperationDetails) => void;
}

const idle = { state: 'idle', total: 0, succeeded: 0, skipped: 0, failures: [] } as const;

/** Changes executions one by one, a few at the same time. */
export function useSelectedRun(onChanged: () => void): SelectedRun {
  const [run, setRun] = useState<Omit<SelectedRun, 'start'>>(idle);
  const start = useCallback(
    (selected: readonly ExecutionRecord[], details: OperationDetails) => {
      const waiting = selected.filter((record) => skipReason(details.operation, record) === undefined);
      setRun({ ...idle, state: 'running', total: waiting.length, skipped: selected.length - waiting.length });
      const work = async (): Promise<void> => {
        for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
          const { id } = record;
          try {
            await applyOperation(record, { ...details, ...shownWait(details, record) });
            setRun((current) => ({ ...current, succeeded: current.succeeded + 1 }));
          } catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            setRun((current) => ({ ...current, failures: [...current.failures, { id, message }] }));
          }
        }
      };
      void Promise.all(Array.from({ length: parallel }, work)).then(() => {
        setRun((current) => ({ ...current, state: 'done' }));
        onChanged();
      });
    },
    [onChanged],
  );
  return { ...run, start };
}

/**
 * An answer is for the wait that the list shows. An approval is answered by itself: the list does
 * not show the call.
 */
function shownWait(
  { operation, stepId }: OperationDetails,
  { suspension }: ExecutionRecord,
): { readonly suspensionId?: string } {
  if (operation !== 'resume' || stepId !== undefined || suspension === null || suspension.kind === 'approval')
    return {};
  return { suspensionId: suspension.suspensionId };
}

export function SelectedReport({ run, verb }: { readonly run: SelectedRun; readonly verb: string }): ReactNode {
  const { failures, skipped, succeeded, total } = run;
  const done = succeeded + failures.length;
  return (
    <div className={styles.form} role="status">
      <Progress label="Progress" value={done} max={total} />
      <p>
        {succeeded} of {total} {verb}
        {skipped > 0 && `, ${skipped} skipped`}
        {failures.length > 0 && `, ${failures.length} failed`}
      </p>
      {failures.length > 0 && (
        <ul className={styles.list}>
          {failures.map(({ id, message }) => (
            <li key={id}>
              <code title={id}>{shortId(id)}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
