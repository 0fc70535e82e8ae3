import type { ReactNode } from 'react';
import styles from './schema-form.module.css';

/** A label, what stands below it, and what is wrong. */
export function FieldFrame({
  label,
  inputId,
  hintId,
  problemId,
  isRequired,
  description,
  problem,
  actions,
  isGroup = false,
  children,
}: {
  readonly label: string | null;
  readonly inputId: string;
  readonly hintId: string;
  readonly problemId: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  readonly problem: string | undefined;
  readonly actions?: ReactNode;
  /** The label names several controls. */
  readonly isGroup?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const name = (
    <>
      {label}
      {!isRequired && <span className={styles.optional}>optional</span>}
    </>
  );
  return (
    <div className={styles.field}>
      {(label !== null || actions !== undefined) && (
        <div className={styles.head}>
          {label !== null &&
            (isGroup ? (
              <span className={styles.label} id={`${inputId}-label`}>
                {name}
              </span>
            ) : (
              <label className={styles.label} htmlFor={inputId} id={`${inputId}-label`}>
                {name}
              </label>
            ))}
          {actions !== undefined && <span className={styles.actions}>{actions}</span>}
        </div>
      )}
      {description !== undefined && (
        <p className={styles.hint} id={hintId}>
          {description}
        </p>
      )}
      {children}
      <p className={styles.problem} id={problemId} aria-live="polite">
        {problem}
      </p>
    </div>
  );
}
