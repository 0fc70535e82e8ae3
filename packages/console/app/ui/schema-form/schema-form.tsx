import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Segmented } from '../segmented.tsx';
import { FieldFrame } from './field-frame.tsx';
import { SchemaFormContext, useField } from './form-context.ts';
import { JsonField } from './json-field.tsx';
import { resolveSchema } from './json-schema.ts';
import { SchemaField } from './schema-field.tsx';
import type { SchemaFormState } from './use-schema-form.ts';
import styles from './schema-form.module.css';

/**
 * A form for a value that a JSON Schema describes, also as plain JSON. Ctrl+Enter (⌘ Enter) submits
 * it from every field.
 *
 * ```tsx
 * const form = useSchemaForm(schema);
 * <SchemaForm form={form} label="Input" onSubmit={send} />
 * <Button look="main" onClick={() => form.accept(send)}>Send</Button>
 * ```
 */
export function SchemaForm({
  form,
  label,
  onSubmit,
}: {
  readonly form: SchemaFormState;
  /** The name of the value: `Input`, `Resume data`. */
  readonly label: string;
  readonly onSubmit?: (value: unknown) => void;
}): ReactNode {
  const { id, isChecked, problems, schema, setValue, value } = form;
  const { field } = resolveSchema(schema, schema);
  const [isJson, setJson] = useState(field.kind === 'json');
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || onSubmit === undefined) return;
    event.preventDefault();
    form.accept(onSubmit);
  };
  return (
    <SchemaFormContext value={{ id, root: schema, problems, isChecked, Field: SchemaField }}>
      <div className={styles.form} id={id} role="group" aria-label={label} onKeyDown={onKeyDown}>
        <div className={styles.top}>
          <h3>{label}</h3>
          {field.kind !== 'json' && (
            <Segmented
              label={`Write ${label} as`}
              value={isJson ? 'json' : 'form'}
              options={[
                { value: 'form', name: 'Form' },
                { value: 'json', name: 'JSON' },
              ]}
              onChange={(next) => setJson(next === 'json')}
            />
          )}
        </div>
        {isJson ? (
          <WholeValue form={form} />
        ) : (
          <SchemaField schema={schema} value={value} onChange={setValue} at="" label={null} isRequired />
        )}
      </div>
    </SchemaFormContext>
  );
}

/** The whole value as JSON, with all that is wrong in it. */
function WholeValue({ form: { problems, schema, setValue, value } }: { readonly form: SchemaFormState }): ReactNode {
  const { hintId, inputId, leave, problem, problemId } = useField('');
  const inner = Object.entries(problems).filter(([at]) => at !== '');
  return (
    <>
      <FieldFrame
        label={null}
        inputId={inputId}
        hintId={hintId}
        problemId={problemId}
        isRequired
        description={schema.description}
        problem={problem}
      >
        <JsonField
          schema={schema}
          value={value}
          onChange={setValue}
          at=""
          inputId={`${inputId}-json`}
          isRequired
          isInvalid={problem !== undefined || inner.length > 0}
          leave={leave}
          labelledBy={undefined}
          describedBy={problem === undefined ? '' : problemId}
        />
      </FieldFrame>
      {inner.length > 0 && (
        <ul className={styles.problems}>
          {inner.map(([at, text]) => (
            <li key={at}>
              <code>{at.slice(1)}</code> {text.toLowerCase()}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
