import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './text-field.module.css';

/** A labelled line of text. */
export function TextField({
  label,
  hint,
  onChange,
  ...input
}: Omit<ComponentProps<'input'>, 'onChange' | 'className'> & {
  readonly label: string;
  readonly hint?: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <p className={styles.hint} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <input
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...input}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
