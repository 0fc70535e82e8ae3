import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Segmented } from '../segmented.tsx';
import { type ControlProps, describedBy } from './control-props.ts';
import type { JsonSchema } from './json-schema.ts';
import { UnfinishedText } from './validate.ts';
import styles from './schema-form.module.css';

/** Controls of the browser for formats that they write in the same way as JSON Schema. */
const inputTypes: Readonly<Record<string, string>> = { email: 'email', uri: 'url', url: 'url', date: 'date' };

/**
 * A text. Fields without a format take several lines, and grow with them. An empty optional text is
 * left out.
 */
export function TextField(props: ControlProps): ReactNode {
  const { inputId, isRequired, leave, onChange, schema, value } = props;
  const { examples, format, maxLength = Infinity, minLength = 0, pattern } = schema;
  const text = typeof value === 'string' ? value : '';
  const change = (next: string): void => onChange(next === '' && (!isRequired || minLength > 0) ? undefined : next);
  const placeholder = typeof examples?.[0] === 'string' ? examples[0] : undefined;
  if (format === 'date-time') return <DateTimeField {...props} />;
  const common = {
    ...describedBy(props),
    id: inputId,
    className: styles.input,
    value: text,
    placeholder,
    onBlur: leave,
  };
  if (format !== undefined || pattern !== undefined || maxLength <= 120)
    return (
      <input
        {...common}
        type={inputTypes[format ?? ''] ?? 'text'}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
      />
    );
  return (
    <textarea
      {...common}
      className={classes(styles.input, styles.text)}
      rows={1}
      onChange={(event) => change(event.target.value)}
    />
  );
}

/** Written in the time zone of the browser, sent in UTC. */
function DateTimeField(props: ControlProps): ReactNode {
  const { inputId, leave, onChange, value } = props;
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return (
    <input
      {...describedBy(props)}
      id={inputId}
      className={styles.input}
      type="datetime-local"
      step={1}
      value={Number.isNaN(time) ? '' : toLocal(time)}
      onBlur={leave}
      onChange={({ target }) => onChange(target.value === '' ? undefined : new Date(target.value).toISOString())}
    />
  );
}

function toLocal(time: number): string {
  const shifted = time - new Date(time).getTimezoneOffset() * 60_000;
  return new Date(shifted).toISOString().slice(0, 19);
}

export function NumberField(props: ControlProps): ReactNode {
  const { inputId, leave, onChange, schema, value } = props;
  const text = value instanceof UnfinishedText ? value.text : typeof value === 'number' ? String(value) : '';
  const change = (next: string): void => {
    if (next.trim() === '') onChange(undefined);
    else {
      const number = Number(next.replace(',', '.'));
      // A text that a number would not look like stays as it was typed: `1.`, `1.0`.
      onChange(Number.isNaN(number) || String(number) !== next ? unfinished(next, number) : number);
    }
  };
  const finish = (): void => {
    const number = Number(text.replace(',', '.'));
    if (value instanceof UnfinishedText && text.trim() !== '' && !Number.isNaN(number)) onChange(number);
    leave();
  };
  return (
    <input
      {...describedBy(props)}
      id={inputId}
      className={classes(styles.input, styles.number)}
      type="text"
      inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
      autoComplete="off"
      placeholder={toRange(schema)}
      value={text}
      onBlur={finish}
      onChange={(event) => change(event.target.value)}
    />
  );
}

function toRange({ exclusiveMaximum, exclusiveMinimum, maximum, minimum }: JsonSchema): string | undefined {
  const least = minimum ?? exclusiveMinimum;
  const most = maximum ?? exclusiveMaximum;
  if (least === undefined) return most === undefined ? undefined : `up to ${most}`;
  return most === undefined ? `from ${least}` : `${least} to ${most}`;
}

function unfinished(text: string, number: number): UnfinishedText {
  return new UnfinishedText(text, Number.isNaN(number) ? 'Must be a number' : 'Finish the number');
}

export function BooleanField(props: ControlProps): ReactNode {
  const { inputId, isInvalid, isRequired, labelledBy, leave, onChange, value } = props;
  const options = [
    { value: 'true', name: 'Yes' },
    { value: 'false', name: 'No' },
    ...(isRequired ? [] : [{ value: '', name: 'Not set' }]),
  ];
  const chosen = typeof value === 'boolean' ? String(value) : isRequired ? undefined : '';
  return (
    <Segmented
      id={inputId}
      labelledBy={labelledBy}
      {...(labelledBy === undefined && { label: 'Value' })}
      describedBy={props.describedBy === '' ? undefined : props.describedBy}
      isInvalid={isInvalid}
      value={chosen}
      options={options}
      onBlur={leave}
      onChange={(next) => onChange(next === '' ? undefined : next === 'true')}
    />
  );
}

export function ChoiceField(props: ControlProps & { readonly values: readonly unknown[] }): ReactNode {
  const { inputId, isRequired, leave, onChange, value, values } = props;
  const keys = values.map((each) => JSON.stringify(each));
  const chosen = value === undefined ? -1 : keys.indexOf(JSON.stringify(value));
  return (
    <select
      {...describedBy(props)}
      id={inputId}
      className={classes(styles.input, styles.select)}
      value={chosen === -1 ? '' : String(chosen)}
      onBlur={leave}
      onChange={({ target }) => onChange(target.value === '' ? undefined : values[Number(target.value)])}
    >
      <option value="">{isRequired ? 'Choose …' : 'Not set'}</option>
      {values.map((each, index) => (
        <option key={keys[index]} value={index}>
          {typeof each === 'string' ? each : keys[index]}
        </option>
      ))}
    </select>
  );
}

export function ConstantField({
  constant,
  isRequired,
  labelledBy,
  onChange,
  value,
}: ControlProps & { readonly constant: unknown }): ReactNode {
  const text = typeof constant === 'string' ? constant : JSON.stringify(constant);
  if (isRequired) return <code className={styles.constant}>{text}</code>;
  return (
    <Segmented
      labelledBy={labelledBy}
      {...(labelledBy === undefined && { label: 'Value' })}
      value={value === undefined ? '' : 'set'}
      options={[
        { value: 'set', name: text },
        { value: '', name: 'Not set' },
      ]}
      onChange={(next) => onChange(next === 'set' ? constant : undefined)}
    />
  );
}
