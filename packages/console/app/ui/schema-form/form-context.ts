import { type ComponentType, type Context, createContext, useContext, useState } from 'react';
import type { JsonSchema } from './json-schema.ts';
import type { Problems } from './validate.ts';

interface FormContext {
  readonly id: string;
  readonly root: JsonSchema;
  readonly problems: Problems;
  readonly isChecked: boolean;
  /** Shows any schema. Fields that contain fields use it. */
  readonly Field: ComponentType<FieldProps>;
}

/** The state that all fields of a form share. */
export const SchemaFormContext: Context<FormContext> = createContext<FormContext>({
  id: 'form',
  root: {},
  problems: {},
  isChecked: false,
  Field: () => null,
});

export interface FieldProps {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** The place in the value: `/lines/0/sku`. */
  readonly at: string;
  /** Null: the form as a whole, which has a heading of its own. */
  readonly label: string | null;
  readonly isRequired: boolean;
}

interface FieldState {
  readonly Field: ComponentType<FieldProps>;
  readonly root: JsonSchema;
  readonly inputId: string;
  readonly hintId: string;
  readonly problemId: string;
  /** The problem with the value, once the field was left or the form was sent. */
  readonly problem: string | undefined;
  readonly leave: () => void;
}

export function useField(at: string): FieldState {
  const { Field, id, isChecked, problems, root } = useContext(SchemaFormContext);
  const [isLeft, setLeft] = useState(false);
  const inputId = `${id}${at}`;
  return {
    Field,
    root,
    inputId,
    hintId: `${inputId}-hint`,
    problemId: `${inputId}-problem`,
    problem: isChecked || isLeft ? problems[at] : undefined,
    leave: () => setLeft(true),
  };
}
