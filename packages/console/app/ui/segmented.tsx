import { type ReactNode, useId } from 'react';
import styles from './segmented.module.css';

/** A choice of a few, all in view. The arrow keys move between them. */
export function Segmented<Value extends string>({
  label,
  labelledBy,
  describedBy,
  isInvalid = false,
  value,
  options,
  onChange,
  onBlur,
  id,
}: {
  /** For screen readers; or `labelledBy`, the id of a text on the page. */
  readonly label?: string;
  readonly labelledBy?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly isInvalid?: boolean;
  /** Undefined: nothing is chosen yet. */
  readonly value: Value | undefined;
  readonly options: readonly { readonly value: Value; readonly name: ReactNode }[];
  readonly onChange: (value: Value) => void;
  readonly onBlur?: () => void;
  readonly id?: string;
}): ReactNode {
  const name = useId();
  return (
    <div
      role="radiogroup"
      className={styles.group}
      id={id}
      tabIndex={-1}
      aria-label={label}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      onBlur={onBlur}
    >
      {options.map((option) => (
        <label key={option.value} className={styles.option}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.name}</span>
        </label>
      ))}
    </div>
  );
}
