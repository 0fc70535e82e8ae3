import type { JsonValue } from '@halyard/contracts';
import type { JsonSchema } from '../schema/schema.ts';

/** What kind of thing a working memory is: a text, or an object that fits a schema. */
export interface NotesFormat {
  readonly name: 'markdown' | 'json';
  readonly template: string | null;
  /** What the tool that writes takes. */
  readonly toolInput: JsonSchema;

  /** What somebody wants to write. @throws InvalidInputError for content of another kind, its field named by `at`. */
  accept(content: unknown, at: string): JsonValue;

  /** What is stored, as this kind of notes. Another kind may be stored: the app may have had another format before. */
  present(stored: JsonValue | undefined): JsonValue;

  append(stored: JsonValue | undefined, added: JsonValue): JsonValue;

  /** A sentence about what is wrong with content as a whole; undefined when it can be stored. */
  fault(content: JsonValue, at: string): string | undefined | Promise<string | undefined>;

  /** What a call of the tool wants to write, and how. */
  fromTool(input: unknown): { readonly content: unknown; readonly mode: 'replace' | 'append' };
}
