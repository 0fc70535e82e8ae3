import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './inline-field.module.css';

/** A line of text whose label stands before it, as in a bar of filters. */
export function InlineField({
  label,
  onChange,
  ...input
}: Omit<ComponentProps<'input'>, 'onChange' | 'className'> & {
  readonly label: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...input}
        id={id}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
