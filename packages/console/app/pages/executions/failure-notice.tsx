import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { components } from '../../api/schema.ts';
import { useFailures } from './use-failures.ts';
import styles from './execution.module.css';

type ExecutionState = components['schemas']['ExecutionState'];

/** Why an execution failed: the step, and the error that it threw. */
export function FailureNotice({
  execution,
  onStep,
}: {
  readonly execution: ExecutionState;
  readonly onStep: (stepId: string) => void;
}): ReactNode {
  const { last: cause } = useFailures(execution);
  const { error } = execution;
  if (error === undefined) return null;
  const { code, message, stepId } = error;
  return (
    <div className={styles.failure} role="alert">
      <b dir="auto">{message}</b>
      {code !== undefined && <code>{code}</code>}
      {stepId !== undefined && (
        <button type="button" onClick={() => onStep(stepId)}>
          Show the step
        </button>
      )}
      {cause?.status.message !== undefined && cause.status.message !== message && (
        <p className={styles.cause} dir="auto">
          {cause.status.message}{' '}
          <Link to="/traces/$traceId" params={{ traceId: cause.traceId }} search={{ span: cause.spanId }}>
            Show in the trace
          </Link>
        </p>
      )}
    </div>
  );
}
