import type { JsonSchema } from './json-schema.ts';

/** The props of every control of a form. */
export interface ControlProps {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly at: string;
  readonly inputId: string;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  /** The field was left: from now on it shows what is wrong. */
  readonly leave: () => void;
  /** The id of the label, for controls that consist of several. */
  readonly labelledBy: string | undefined;
  /** The ids of the description and of the problem. */
  readonly describedBy: string;
}

export function describedBy({ describedBy: ids, isInvalid, isRequired }: ControlProps): Record<string, unknown> {
  return {
    'aria-describedby': ids === '' ? undefined : ids,
    'aria-invalid': isInvalid || undefined,
    'aria-required': isRequired || undefined,
  };
}
