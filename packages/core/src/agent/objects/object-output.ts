import { ConfigurationError } from '@halyard/contracts';
import { compileSchema, type CompiledSchema } from '../../schema/compile-schema.ts';
import type { Schema } from '../../schema/schema.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { RunOptions } from '../agent-options.ts';
import { arrayOutput } from './array-output.ts';
import { choiceOutput } from './choice-output.ts';
import { partialObjects } from './partial-objects.ts';

/** Tells some providers more about the object. */
export interface SchemaHints {
  readonly schemaName?: string | undefined;
  readonly schemaDescription?: string | undefined;
}

/** Options of a run that must end in an object. */
export type ObjectOptions<S> = RunOptions &
  SchemaHints & { readonly output?: 'object' | undefined; readonly schema: S };

/** Options of a run that must end in a list. */
export type ArrayOptions<S> = RunOptions &
  SchemaHints & {
    readonly output: 'array';
    /** The schema of an element, of any type. */
    readonly element: S;
    readonly minItems?: number | undefined;
    readonly maxItems?: number | undefined;
  };

/** Options of a run that must end in one of several texts. */
export type ChoiceOptions<Choice extends string> = RunOptions &
  SchemaHints & { readonly output: 'choice'; readonly options: readonly Choice[] };

export type OutputOptions = ObjectOptions<Schema> | ArrayOptions<Schema> | ChoiceOptions<string>;

/** The kind of object in which a run must end. */
export interface ObjectOutput<Value, Partial> {
  /** The model receives its JSON Schema. It accepts the model's reply, and returns the value. */
  readonly schema: CompiledSchema<Value>;
  /** The partial values before the value is complete. */
  partials(batches: AsyncIterable<readonly AgentEvent[]>): AsyncIterable<Partial>;
}

/** @throws ConfigurationError */
export function objectOutput(options: OutputOptions): ObjectOutput<unknown, unknown> {
  const { output } = options;
  switch (output) {
    case undefined:
    case 'object':
      return compiledOutput(compileSchema(options.schema, 'the schema of the object'));
    case 'array':
      return arrayOutput(compileSchema(options.element, 'the schema of the elements'), options);
    case 'choice':
      return choiceOutput(options.options);
    default:
      throw new ConfigurationError(
        `\`output\` must be "object", "array" or "choice", not ${JSON.stringify(output satisfies never)}`,
      );
  }
}

export function compiledOutput<Value>(
  schema: CompiledSchema<Value>,
): ObjectOutput<Value, { readonly type: 'partial'; readonly object: unknown }> {
  return { schema, partials: partialObjects };
}
