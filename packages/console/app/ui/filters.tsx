import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { formatPeriod } from './format.ts';
import { Icon } from './icons.tsx';
import { isTyping } from './is-typing.ts';
import { type Period, type TimeRange, timeRanges } from './search-params.ts';
import styles from './filters.module.css';

/**
 * A choice of the filter bar; the empty choice is `all`. The browser's own control works
 * everywhere, also by keyboard and on phones.
 */
export function FilterSelect({
  label,
  value,
  options,
  onChange,
  all = 'all',
  isFixed = false,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (string | { readonly value: string; readonly name: string })[];
  readonly onChange: (value: string | undefined) => void;
  /** The name of the empty choice; null: there is none. */
  readonly all?: string | null;
  /** It is as wide for each choice, so that nothing moves when another one is chosen. */
  readonly isFixed?: boolean;
}): ReactNode {
  return (
    <label className={classes(styles.select, isFixed && styles.fixed)}>
      <span>{label}</span>
      <select
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      >
        {all !== null && <option value="">{all}</option>}
        {options.map((option) => {
          const { name, value: each } = typeof option === 'string' ? { name: option, value: option } : option;
          return (
            <option key={each} value={each}>
              {name}
            </option>
          );
        })}
      </select>
      <Icon name="chevron" size={12} />
    </label>
  );
}

const rangeNames: Record<TimeRange, string> = {
  '1h': 'last hour',
  '6h': 'last 6 hours',
  '24h': 'last 24 hours',
  '3d': 'last 3 days',
  '7d': 'last 7 days',
  '14d': 'last 14 days',
};

export function TimeSelect({
  value,
  onChange,
  all = 'any time',
}: {
  readonly value: TimeRange | undefined;
  readonly onChange: (value: TimeRange | undefined) => void;
  readonly all?: string | null;
}): ReactNode {
  const options = timeRanges.map((each) => ({ value: each, name: rangeNames[each] }));
  return (
    <FilterSelect
      label="Time"
      value={value}
      options={options}
      all={all}
      onChange={(next) => onChange(next as TimeRange | undefined)}
    />
  );
}

/** The time of a page whose charts can be narrowed to a part of it. */
export function PeriodSelect({
  value,
  onChange,
}: {
  readonly value: Period;
  readonly onChange: (value: Period) => void;
}): ReactNode {
  const { from, range = '24h', to } = value;
  const widen = (next: TimeRange): void => onChange({ range: next, from: undefined, to: undefined });
  if (from === undefined || to === undefined)
    return <TimeSelect value={range} all={null} onChange={(next) => next !== undefined && widen(next)} />;
  const options = timeRanges.map((each) => ({ value: each as string, name: rangeNames[each] }));
  return (
    <>
      <FilterSelect
        label="Time"
        value={period}
        options={[{ value: period, name: formatPeriod(from, to) }, ...options]}
        all={null}
        onChange={(next) => next !== period && widen(next as TimeRange)}
      />
      <Button look="quiet" onClick={() => widen(range)}>
        Show the {rangeNames[range]}
      </Button>
    </>
  );
}

const period = 'period';

/** A text to search for. It takes effect when the person stops typing. `/` focuses it. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}): ReactNode {
  const [text, setText] = useState(value ?? '');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(value ?? ''), [value]);
  useEffect(() => {
    if (text === (value ?? '')) return undefined;
    const timer = setTimeout(() => onChange(text === '' ? undefined : text), 300);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);
  return (
    <label className={styles.search}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <kbd>/</kbd>
    </label>
  );
}

/** A value of the filter bar that is written. It takes effect when the person stops typing. */
export function FilterText({
  label,
  value,
  onChange,
  placeholder = 'any',
  problem,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly placeholder?: string;
  /** Why the text is no filter yet. */
  readonly problem?: string | undefined;
}): ReactNode {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  useEffect(() => {
    if (text === (value ?? '')) return undefined;
    const timer = setTimeout(() => onChange(text === '' ? undefined : text), 400);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <label className={styles.select} title={problem}>
      <span>{label}</span>
      <input
        className={styles.written}
        value={text}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={problem !== undefined || undefined}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

/** A filter that is on or off. */
export function FilterToggle({
  isOn,
  onChange,
  children,
}: {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <button type="button" className={styles.toggle} aria-pressed={isOn} onClick={() => onChange(!isOn)}>
      {children}
    </button>
  );
}
