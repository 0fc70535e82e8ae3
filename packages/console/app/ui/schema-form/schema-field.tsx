import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import type { ControlProps } from './control-props.ts';
import { FieldFrame } from './field-frame.tsx';
import { type FieldProps, useField } from './form-context.ts';
import { initialValue } from './initial-value.ts';
import { JsonField } from './json-field.tsx';
import { resolveSchema } from './json-schema.ts';
import { ListField } from './list-field.tsx';
import { ObjectField } from './object-field.tsx';
import { BooleanField, ChoiceField, ConstantField, NumberField, TextField } from './scalar-fields.tsx';
import { UnionField } from './union-field.tsx';
import { UnfinishedText } from './validate.ts';
import styles from './schema-form.module.css';

const grouped = new Set(['object', 'array', 'tuple', 'union', 'boolean', 'constant', 'null']);

/** One field of a form, for any schema. What no control exists for is written as JSON. */
export function SchemaField({ at, isRequired, label, onChange, schema, value }: FieldProps): ReactNode {
  const { hintId, inputId, leave, problem, problemId, root } = useField(at);
  const { field, isNullable, schema: own } = resolveSchema(schema, root);
  const isNull = value === null && isNullable;
  const isNested = field.kind === 'object' || field.kind === 'array' || field.kind === 'tuple';
  const isAbsent = value === undefined && isNested && !isRequired;
  const name = label === null ? null : (own.title ?? label);
  const control: ControlProps = {
    schema: own,
    value,
    onChange,
    at,
    inputId,
    isRequired,
    isInvalid: problem !== undefined,
    leave,
    labelledBy: name === null ? undefined : `${inputId}-label`,
    describedBy: [own.description !== undefined && hintId, problem !== undefined && problemId]
      .filter((id) => id !== false)
      .join(' '),
  };
  const create = (): void =>
    onChange(initialValue({ ...own, default: own.default ?? undefined }, root) ?? emptyValue(field.kind));
  const actions = (
    <>
      {isNullable && !isNull && (
        <Button look="quiet" onClick={() => onChange(null)} aria-label={`Set ${name ?? 'the value'} to null`}>
          Set to null
        </Button>
      )}
      {isNested && !isRequired && !isAbsent && !isNull && (
        <Button look="quiet" onClick={() => onChange(undefined)} aria-label={`Remove ${name ?? 'the value'}`}>
          Remove
        </Button>
      )}
    </>
  );
  return (
    <FieldFrame
      label={name}
      inputId={inputId}
      hintId={hintId}
      problemId={problemId}
      isRequired={isRequired}
      description={own.description}
      problem={problem}
      isGroup={isNull || isAbsent || grouped.has(field.kind)}
      {...((isNullable || (isNested && !isRequired)) && { actions })}
    >
      {isNull ? (
        <p className={styles.null}>
          <code>null</code>
          <Button look="quiet" onClick={create}>
            Set a value
          </Button>
        </p>
      ) : isAbsent ? (
        <Button look="quiet" className={styles.add} aria-label={`Add ${name ?? 'a value'}`} onClick={create}>
          Add
        </Button>
      ) : (
        <Control control={control} field={field} />
      )}
    </FieldFrame>
  );
}

function Control({
  control,
  field,
}: {
  readonly control: ControlProps;
  readonly field: ReturnType<typeof resolveSchema>['field'];
}): ReactNode {
  if (control.value instanceof UnfinishedText && field.kind !== 'number' && field.kind !== 'integer')
    return <JsonField {...control} />;
  switch (field.kind) {
    case 'object':
      return <ObjectField {...control} properties={field.properties} isOpen={field.isOpen} />;
    case 'array':
      return <ListField {...control} itemOf={() => field.items} />;
    case 'tuple':
      return <ListField {...control} itemOf={(index) => field.items[index] ?? {}} count={field.items.length} />;
    case 'union':
      return <UnionField {...control} branches={field.branches} />;
    case 'choice':
      return <ChoiceField {...control} values={field.values} />;
    case 'constant':
      return <ConstantField {...control} constant={field.value} />;
    case 'null':
      return <ConstantField {...control} constant={null} />;
    case 'boolean':
      return <BooleanField {...control} />;
    case 'number':
    case 'integer':
      return <NumberField {...control} />;
    case 'text':
      return <TextField {...control} />;
    case 'json':
      return <JsonField {...control} />;
    default:
      return field satisfies never;
  }
}

function emptyValue(kind: string): unknown {
  if (kind === 'object') return {};
  if (kind === 'array' || kind === 'tuple') return [];
  return kind === 'text' ? '' : undefined;
}
