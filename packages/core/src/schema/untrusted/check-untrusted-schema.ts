import { InvalidInputError } from '@halyard/contracts';
import { isJsonSchemaObject, type JsonSchema } from '../schema.ts';
import { subschemas, walkSchema } from '../walk-schema.ts';

/** The place of the schema in the request: the prefix of every message. */
export const SCHEMA_AT = 'body/schema';

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const;

const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

/**
 * Limit for the paths of all subschemas together. Each path becomes part of the compiled code, so a
 * long name near the root is repeated in many.
 */
const MAX_PATH_CHARACTERS = 512 * 1024;

/**
 * Limit for the subschemas that a value may be checked against, with references followed: twenty
 * definitions that each name the next one three times are 3 486 784 401 subschemas.
 */
const MAX_EXPANDED = 10_000;

/**
 * The JSON text of a schema sent by a client.
 *
 * @throws InvalidInputError unless it is a JSON object of at most 64 KiB in UTF-8.
 */
export function toSchemaText(schema: unknown): string {
  if (!isJsonSchemaObject(schema)) throw new InvalidInputError(`${SCHEMA_AT} must be object`);

  const text = stringify(schema);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new InvalidInputError(`${SCHEMA_AT} must be at most ${MAX_BYTES / 1024} KiB as JSON`);
  return text;
}

/**
 * Parses a schema sent by a client and enforces the rules for untrusted schemas: at most 32 levels
 * of JSON, `"type": "object"` at the root, and only references to schemas inside the document.
 *
 * `$id` is removed at the root, where references do not need it, and refused elsewhere, because it
 * changes the meaning of the references below it.
 *
 * @throws InvalidInputError that names the place of the fault.
 */
export function parseUntrustedSchema(text: string): JsonSchema {
  const document: unknown = JSON.parse(text);
  if (isDeeperThan(document, MAX_DEPTH))
    throw new InvalidInputError(`${SCHEMA_AT} must be at most ${MAX_DEPTH} levels deep`);
  if (!isJsonSchemaObject(document)) throw new InvalidInputError(`${SCHEMA_AT} must be object`);
  if (document['type'] !== 'object') throw new InvalidInputError(`${SCHEMA_AT} must have "type": "object"`);

  const schema = withoutId(document);
  checkReferences(schema);
  return schema;
}

/** The schema of a text that {@link parseUntrustedSchema} has accepted. */
export function toPlainSchema(text: string): JsonSchema {
  return withoutId(JSON.parse(text) as JsonSchema);
}

function withoutId({ $id: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function stringify(schema: JsonSchema): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(schema);
  } catch (error) {
    throw new InvalidInputError(`${SCHEMA_AT} must be plain JSON`, { cause: error });
  }
  if (text === undefined) throw new InvalidInputError(`${SCHEMA_AT} must be plain JSON`);
  return text;
}

/** The recursion ends at the limit, so a deep document cannot exhaust the stack. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

function checkReferences(schema: JsonSchema): void {
  const targets = new Map<string, JsonSchema | boolean>();
  const references: { readonly at: string; readonly target: unknown }[] = [];
  let pathCharacters = 0;
  walkSchema(schema, (part, pointer) => {
    pathCharacters += pointer.length;
    if (pathCharacters > MAX_PATH_CHARACTERS)
      throw new InvalidInputError(`${SCHEMA_AT} must use shorter property names`);
    targets.set(`#${pointer}`, part);
    if (typeof part === 'boolean') return;

    if (part['$id'] !== undefined)
      throw new InvalidInputError(`${SCHEMA_AT}${pointer}/$id is not accepted; refer to "#/$defs/…" instead`);
    for (const anchor of [part['$anchor'], part['$dynamicAnchor']])
      if (typeof anchor === 'string') targets.set(`#${anchor}`, part);
    for (const keyword of REFERENCES) {
      if (keyword in part) references.push({ at: `${SCHEMA_AT}${pointer}/${keyword}`, target: part[keyword] });
    }
  });

  for (const { at, target } of references) {
    if (typeof target !== 'string') throw new InvalidInputError(`${at} must be string`);
    if (!target.startsWith('#')) throw new InvalidInputError(`${at} must be a local reference that starts with "#"`);
    if (!targets.has(normalizeFragment(target))) throw new InvalidInputError(`${at} names no schema in ${SCHEMA_AT}`);
  }
  if (new ExpandedSize(targets).of(schema) > MAX_EXPANDED)
    throw new InvalidInputError(
      `${SCHEMA_AT} must have at most ${MAX_EXPANDED} subschemas when its references are followed`,
    );
}

/**
 * Counts the subschemas of schemas with references followed. Each schema is counted once, so this
 * takes linear time.
 */
class ExpandedSize {
  readonly #targets: ReadonlyMap<string, JsonSchema | boolean>;
  readonly #sizes = new Map<JsonSchema | boolean, number>();

  constructor(targets: ReadonlyMap<string, JsonSchema | boolean>) {
    this.#targets = targets;
  }

  /** A reference to a schema around it counts as one: such a schema may be recursive. */
  of(schema: JsonSchema | boolean): number {
    const known = this.#sizes.get(schema);
    if (known !== undefined) return known;
    if (typeof schema === 'boolean') return 1;

    this.#sizes.set(schema, 1);
    let size = 1;
    for (const part of subschemas(schema)) size += this.of(part);
    for (const keyword of REFERENCES) {
      const target = schema[keyword];
      const named = typeof target === 'string' ? this.#targets.get(normalizeFragment(target)) : undefined;
      if (named !== undefined) size += this.of(named);
    }
    this.#sizes.set(schema, size);
    return size;
  }
}

/** Ajv reads `#/` as the root, and pointers in references may be percent-encoded. */
function normalizeFragment(reference: string): string {
  if (reference === '#/') return '#';
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}
