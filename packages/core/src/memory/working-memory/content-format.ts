import type { JsonObject, JsonValue } from '@halyard/contracts';
import type { JsonSchema, Schema } from '../../schema/schema.ts';

/** The form of a working memory: a text, or an object that fits a schema. */
export interface ContentFormat {
  readonly name: 'markdown' | 'json';
  readonly template: string | null;
  /** The JSON Schema of the whole object; null for a text. */
  readonly schema: JsonSchema | null;
  /** Schema of the input of the tool that writes. */
  readonly toolInput: Schema;

  /**
   * Checks the type of content to be written. @throws InvalidInputError, which names the field by
   * `at`.
   */
  accept(content: unknown, at: string): JsonValue;

  /** Stored content in this format; the app may have had another format when it was written. */
  present(stored: JsonValue | undefined): JsonValue;

  append(stored: JsonValue | undefined, added: JsonValue): JsonValue;

  /** @returns a message about the fault of the whole content; undefined when it can be stored. */
  validate(content: JsonValue, at: string): string | undefined | Promise<string | undefined>;

  /**
   * Applies a call of the tool to the stored content.
   *
   * @throws InvalidInputError, which names the field by `at`, when nothing of it can be written.
   */
  updateFromTool(stored: JsonValue | undefined, input: unknown, at: string): Promise<ToolUpdate>;
}

export interface ToolUpdate {
  readonly change: (stored: JsonValue | undefined) => JsonValue;
  /** Tells the model the changes. */
  readonly reply: JsonObject;
}
