import { type ReactNode, useState } from 'react';
import { classes } from '../classes.ts';
import type { ControlProps } from './control-props.ts';
import { useField } from './form-context.ts';
import { initialValue } from './initial-value.ts';
import { type JsonSchema, resolveSchema } from './json-schema.ts';
import { bestBranch, fitsBranch } from './validate.ts';
import styles from './schema-form.module.css';

/** One of several schemas: which one, and its fields. */
export function UnionField({
  at,
  branches,
  inputId,
  isRequired,
  labelledBy,
  onChange,
  value,
}: ControlProps & { readonly branches: readonly JsonSchema[] }): ReactNode {
  const { Field, root } = useField(at);
  const [chosen, setChosen] = useState<number>();
  // The person's choice stays while it is filled in.
  const isChosen = chosen !== undefined && branches[chosen] !== undefined && fitsBranch(value, branches[chosen], root);
  const current = isChosen ? chosen : bestBranch(value, branches, root);
  const schema = branches[current];
  const isAbsent = value === undefined && !isRequired && chosen === undefined;
  const choose = (text: string): void => {
    if (text === '') {
      setChosen(undefined);
      onChange(undefined);
      return;
    }
    const index = Number(text);
    setChosen(index);
    const next = branches[index];
    if (next !== undefined) onChange(initialValue(next, root));
  };
  return (
    <div className={styles.fields}>
      <select
        id={inputId}
        className={classes(styles.input, styles.select)}
        aria-labelledby={labelledBy}
        {...(labelledBy === undefined && { 'aria-label': 'Kind' })}
        value={isAbsent ? '' : current}
        onChange={(event) => choose(event.target.value)}
      >
        {!isRequired && <option value="">Not set</option>}
        {branches.map((branch, index) => (
          <option key={index} value={index}>
            {toName(branch, root, index)}
          </option>
        ))}
      </select>
      {schema !== undefined && !isAbsent && (
        <div className={styles.nested}>
          <Field
            key={current}
            schema={{ ...resolveSchema(schema, root).schema, title: '' }}
            value={value}
            onChange={onChange}
            at={at}
            label={null}
            isRequired
          />
        </div>
      )}
    </div>
  );
}

/** The title, else the constants that tell the alternatives apart, else the type. */
function toName(branch: JsonSchema, root: JsonSchema, index: number): string {
  const { field, schema } = resolveSchema(branch, root);
  if (schema.title !== undefined) return schema.title;
  if (field.kind === 'object') {
    const constants = field.properties.flatMap((property) => {
      const inner = resolveSchema(property.schema, root).field;
      return inner.kind === 'constant' ? [`${property.name}: ${String(inner.value)}`] : [];
    });
    if (constants.length > 0) return constants.join(', ');
    const names = field.properties.slice(0, 3).map(({ name }) => name);
    return names.length === 0 ? `Object ${index + 1}` : `Object with ${names.join(', ')}`;
  }
  if (field.kind === 'constant') return String(field.value);
  return kindNames[field.kind] ?? `Alternative ${index + 1}`;
}

const kindNames: Readonly<Record<string, string>> = {
  text: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  array: 'List',
  tuple: 'List',
  null: 'null',
  choice: 'One of several values',
  json: 'Any JSON',
};
