import type { ReactNode } from 'react';
import { type ControlProps, describedBy } from './control-props.ts';
import { useField } from './form-context.ts';
import type { Property } from './json-schema.ts';
import styles from './schema-form.module.css';

/**
 * The fields of an object, required ones first in the order of the schema. Fields that the schema
 * does not name stay as they are.
 */
export function ObjectField(
  props: ControlProps & { readonly properties: readonly Property[]; readonly isOpen: boolean },
): ReactNode {
  const { at, inputId, labelledBy, onChange, properties, value } = props;
  const { Field } = useField(at);
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const known = new Set(properties.map(({ name }) => name));
  const others = Object.keys(fields).filter((name) => !known.has(name));
  const change = (name: string, next: unknown): void => {
    const kept = Object.entries(fields).filter(([each]) => each !== name);
    const order = properties.map((property) => property.name);
    const entries: [string, unknown][] = next === undefined ? kept : [...kept, [name, next]];
    // In the order of the schema, so that the JSON does not depend on the order of typing.
    onChange(Object.fromEntries(entries.toSorted(([one], [other]) => place(order, one) - place(order, other))));
  };
  const list = properties.map(({ isRequired, name, schema }) => (
    <Field
      key={name}
      schema={schema}
      value={Object.hasOwn(fields, name) ? fields[name] : undefined}
      onChange={(next) => change(name, next)}
      at={`${at}/${name}`}
      label={name}
      isRequired={isRequired}
    />
  ));
  return (
    <div
      {...describedBy({ ...props, isRequired: false })}
      role="group"
      id={inputId}
      tabIndex={-1}
      aria-labelledby={labelledBy}
      className={labelledBy === undefined ? styles.fields : styles.nested}
    >
      {list.length === 0 && others.length === 0 && <p className={styles.hint}>No fields.</p>}
      {list}
      {others.length > 0 && (
        <p className={styles.hint}>Also has {others.map((name) => `“${name}”`).join(', ')}: change them as JSON.</p>
      )}
    </div>
  );
}

function place(order: readonly string[], name: string): number {
  const index = order.indexOf(name);
  return index === -1 ? order.length : index;
}
