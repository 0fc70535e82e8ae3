import { type ReactNode, useId, useState } from 'react';
import type { RunSettings } from './playground-search.ts';
import styles from './panel.module.css';

export interface NumberSetting {
  readonly name:
    | 'temperature'
    | 'maxOutputTokens'
    | 'maxSteps'
    | 'topP'
    | 'frequencyPenalty'
    | 'presencePenalty'
    | 'seed'
    | 'contextLimit';
  readonly title: string;
  readonly min?: number;
  readonly max?: number;
  readonly isWhole?: boolean;
}

/**
 * The settings that are numbers, close together. An empty field is the agent's setting, which
 * stands in it as a hint.
 */
export function NumberSettings({
  defaults,
  numbers,
  onChange,
  settings,
}: {
  readonly numbers: readonly NumberSetting[];
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly settings: RunSettings;
  readonly onChange: (settings: RunSettings) => void;
}): ReactNode {
  return (
    <div className={styles.numbers}>
      {numbers.map((setting) => (
        <NumberField
          key={setting.name}
          setting={setting}
          value={settings[setting.name]}
          own={defaults[setting.name]}
          onChange={(value) => {
            const { [setting.name]: _, ...others } = settings;
            onChange(value === undefined ? others : { ...others, [setting.name]: value });
          }}
        />
      ))}
    </div>
  );
}

function NumberField({
  onChange,
  own,
  setting,
  value,
}: {
  readonly setting: NumberSetting;
  readonly value: number | undefined;
  readonly own: unknown;
  readonly onChange: (value: number | undefined) => void;
}): ReactNode {
  const id = useId();
  const [text, setText] = useState(value === undefined ? '' : String(value));
  const problem = findProblem(text, setting);
  const change = (next: string): void => {
    setText(next);
    if (findProblem(next, setting) === undefined) onChange(next.trim() === '' ? undefined : Number(next));
  };
  return (
    <div className={styles.number}>
      <label htmlFor={id}>{setting.title}</label>
      <input
        id={id}
        inputMode="decimal"
        autoComplete="off"
        value={text}
        placeholder={typeof own === 'number' ? String(own) : 'default'}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => change(event.target.value)}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function findProblem(
  text: string,
  { isWhole = false, max = Infinity, min = -Infinity }: NumberSetting,
): string | undefined {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  if (Number.isNaN(value)) return 'Must be a number';
  if (isWhole && !Number.isInteger(value)) return 'Must be a whole number';
  if (value >= min && value <= max) return undefined;
  return max === Infinity ? `Must be at least ${min}` : `Must be from ${min} to ${max}`;
}
