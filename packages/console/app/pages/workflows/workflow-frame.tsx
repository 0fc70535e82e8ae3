import type { ReactNode } from 'react';
import { RunRail } from './run-rail.tsx';
import styles from './workflow-frame.module.css';

/**
 * The page of a workflow: its runs, and beside them the workflow itself, one of its runs or two that
 * are compared.
 */
export function WorkflowFrame({
  children,
  shown = [],
  workflowId,
}: {
  readonly workflowId: string;
  readonly shown?: readonly string[];
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className={styles.frame}>
      <div className={styles.parts}>
        <RunRail workflowId={workflowId} shown={shown} />
        <div className={styles.content}>{children}</div>
      </div>
    </div>
  );
}

/**
 * The steps, and beside them whatever asks for an action or explains the selected step. On narrow
 * screens what is `first` comes above, the rest below.
 */
export function Beside({
  beside,
  children,
  first,
}: {
  readonly children: ReactNode;
  readonly first?: ReactNode;
  readonly beside?: ReactNode;
}): ReactNode {
  return (
    <div className={styles.split}>
      <div className={styles.main}>{children}</div>
      {(Boolean(first) || Boolean(beside)) && (
        <div className={styles.column}>
          {Boolean(first) && <div className={styles.first}>{first}</div>}
          {Boolean(beside) && <div className={styles.rest}>{beside}</div>}
        </div>
      )}
    </div>
  );
}
