import { useCallback, useId, useMemo, useState } from 'react';
import { initialValue } from './initial-value.ts';
import type { JsonSchema } from './json-schema.ts';
import { type Problems, UnfinishedText, validate } from './validate.ts';

/** The state of a form. Show it with `SchemaForm`. */
export interface SchemaFormState {
  readonly id: string;
  readonly schema: JsonSchema;
  /**
   * JSON, or undefined for none. It can contain texts that are not values yet, until {@link accept}
   * accepts it.
   */
  readonly value: unknown;
  readonly problems: Problems;
  /** Whether all problems are shown, not only those of fields that were left. */
  readonly isChecked: boolean;
  readonly setValue: (value: unknown) => void;
  /** Starts again, with a value or with what the schema gives. */
  readonly reset: (value?: unknown) => void;
  /**
   * Calls `submit` if the value fits the schema. Otherwise shows what is wrong, and moves to the
   * first field of it.
   */
  readonly accept: (submit: (value: unknown) => void) => void;
}

/**
 * @param schema null or undefined: any JSON. @param initial the value to start with; default: what
 * the schema gives.
 */
export function useSchemaForm(schema: JsonSchema | null | undefined, initial?: unknown): SchemaFormState {
  const id = useId();
  const own = useMemo(() => schema ?? {}, [schema]);
  const [value, setValue] = useState<unknown>(() => (initial === undefined ? initialValue(own, own) : initial));
  const [isChecked, setChecked] = useState(false);
  const problems = useMemo(() => validate(value, own, own), [value, own]);
  const reset = useCallback(
    (next?: unknown) => {
      setValue(next === undefined ? initialValue(own, own) : next);
      setChecked(false);
    },
    [own],
  );
  const accept = (submit: (accepted: unknown) => void): void => {
    if (Object.keys(problems).length === 0 && !(value instanceof UnfinishedText)) {
      submit(value);
      return;
    }
    setChecked(true);
    requestAnimationFrame(() => focusFirstProblem(id));
  };
  return { id, schema: own, value, problems, isChecked, setValue, reset, accept };
}

function focusFirstProblem(id: string): void {
  const form = document.getElementById(id);
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
