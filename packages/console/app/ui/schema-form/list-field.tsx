import { type ReactNode, useRef } from 'react';
import { Button, IconButton } from '../button.tsx';
import { type ControlProps, describedBy } from './control-props.ts';
import { useField } from './form-context.ts';
import { initialValue } from './initial-value.ts';
import { type JsonSchema, resolveSchema } from './json-schema.ts';
import styles from './schema-form.module.css';

/** The items of a list, or the places of a tuple of `count`. */
export function ListField(
  props: ControlProps & { readonly itemOf: (index: number) => JsonSchema; readonly count?: number },
): ReactNode {
  const { at, count, inputId, itemOf, labelledBy, onChange, schema, value } = props;
  const { Field, root } = useField(at);
  const list = useRef<HTMLDivElement>(null);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const shown = count === undefined ? items : Array.from({ length: count }, (_, index) => items[index]);
  const add = (): void => {
    onChange([...items, initialValue(itemOf(items.length), root) ?? emptyItem(itemOf(items.length), root)]);
    requestAnimationFrame(() => {
      const last = list.current?.lastElementChild;
      last?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    });
  };
  const move = (index: number, by: number): void => {
    const next = [...items];
    const [item] = next.splice(index, 1);
    next.splice(index + by, 0, item);
    onChange(next);
  };
  const isFull = count !== undefined || items.length >= (schema.maxItems ?? Infinity);
  return (
    <div
      {...describedBy({ ...props, isRequired: false })}
      role="group"
      id={inputId}
      tabIndex={-1}
      aria-labelledby={labelledBy}
      className={labelledBy === undefined ? styles.fields : styles.nested}
    >
      <div ref={list} className={styles.fields}>
        {shown.map((item, index) => (
          // Items have no identity of their own; their fields keep no state but what was left.
          <div key={index} className={styles.item}>
            <label className={styles.index} htmlFor={`${inputId}/${index}`} aria-label={`Item ${index + 1}`}>
              {index + 1}
            </label>
            <Field
              schema={itemOf(index)}
              value={item}
              onChange={(next) => onChange(shown.map((each, place) => (place === index ? next : each)))}
              at={`${at}/${index}`}
              label={null}
              isRequired
            />
            {count === undefined && (
              <span className={styles.itemActions}>
                <IconButton
                  icon="chevron"
                  className={styles.up}
                  label={`Move item ${index + 1} up`}
                  disabled={index === 0}
                  onClick={() => move(index, -1)}
                />
                <IconButton
                  icon="close"
                  label={`Remove item ${index + 1}`}
                  onClick={() => onChange(items.filter((_, place) => place !== index))}
                />
              </span>
            )}
          </div>
        ))}
      </div>
      {!isFull && (
        <Button className={styles.add} onClick={add}>
          Add an item
        </Button>
      )}
    </div>
  );
}

function emptyItem(schema: JsonSchema, root: JsonSchema): unknown {
  return resolveSchema(schema, root).field.kind === 'text' ? '' : undefined;
}
