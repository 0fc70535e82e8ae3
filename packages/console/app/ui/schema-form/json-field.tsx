import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { classes } from '../classes.ts';
import { type ControlProps, describedBy } from './control-props.ts';
import { UnfinishedText } from './validate.ts';
import styles from './schema-form.module.css';

/**
 * Any JSON as text. Empty: no value. What was typed stays as it was typed, also when the field is
 * left: a button below must not move.
 */
export function JsonField(props: ControlProps): ReactNode {
  const { inputId, leave, onChange, value } = props;
  const [text, setText] = useState(() => toText(value));
  // The value was changed elsewhere.
  useEffect(() => {
    if (!(value instanceof UnfinishedText))
      setText((current) => (isSameJson(current, value) ? current : toText(value)));
  }, [value]);
  return (
    <textarea
      {...describedBy(props)}
      id={inputId}
      {...(props.labelledBy === undefined && { 'aria-label': 'JSON' })}
      className={classes(styles.input, styles.json)}
      spellCheck={false}
      rows={3}
      value={text}
      placeholder='JSON, such as { "name": "Ada" }'
      onBlur={leave}
      onChange={(event) => {
        setText(event.target.value);
        onChange(parse(event.target.value));
      }}
    />
  );
}

function toText(value: unknown): string {
  if (value instanceof UnfinishedText) return value.text;
  return value === undefined ? '' : (JSON.stringify(value, null, 2) ?? '');
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    const place = /line \d+ column \d+|position \d+/.exec(String(error))?.[0];
    return new UnfinishedText(text, place === undefined ? 'Is not JSON yet' : `Is not JSON: see ${place}`);
  }
}

function isSameJson(text: string, value: unknown): boolean {
  const parsed = parse(text);
  return !(parsed instanceof UnfinishedText) && JSON.stringify(parsed) === JSON.stringify(value);
}
