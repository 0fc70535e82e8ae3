import { InvalidInputError } from '@halyard/contracts';
import { isJsonSchemaObject, type JsonSchema } from './schema.ts';
import { walkSchema } from './walk-schema.ts';

/** The place of the schema in the request: the prefix of every message. */
export const SCHEMA_AT = 'body/schema';

const MAX_BYTES = 64 * 1024;
const MAX_DEPTH = 32;

/** Limit for the paths of all subschemas together. Each path becomes part of the compiled code, so a long name near the root is repeated in many. */
const MAX_PATH_CHARACTERS = 512 * 1024;

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
 * Parses a schema sent by a client and enforces the rules for untrusted schemas: at most 32 levels of JSON, `"type": "object"` at
 * the root, and only references to schemas inside the document.
 *
 * `$id` is removed at the root, where references do not need it, and refused elsewhere, because it changes the meaning of the
 * references below it.
 *
 * @throws InvalidInputError that names the place of the fault.
 */
export function parseUntrustedSchema(text: string): JsonSchema {
  const document: unknown = JSON.parse(text);
  if (isDeeperThan(document, MAX_DEPTH))
    throw new InvalidInputError(`${SCHEMA_AT} must be at most ${MAX_DEPTH} levels deep`);
  if (!isJsonSchemaObject(document)) throw new InvalidInputError(`${SCHEMA_AT} must be object`);
  if (document['type'] !== 'object') throw new InvalidInputError(`${SCHEMA_AT} must have "type": "object"`);

  const { $id: _, ...schema } = document;
  checkReferences(schema);
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
  const targets = new Set<string>();
  const references: { readonly at: string; readonly target: unknown }[] = [];
  let pathCharacters = 0;
  walkSchema(schema, (part, pointer) => {
    pathCharacters += pointer.length;
    if (pathCharacters > MAX_PATH_CHARACTERS)
      throw new InvalidInputError(`${SCHEMA_AT} must use shorter property names`);
    targets.add(`#${pointer}`);
    if (typeof part === 'boolean') return;

    if (part['$id'] !== undefined)
      throw new InvalidInputError(`${SCHEMA_AT}${pointer}/$id is not accepted; refer to "#/$defs/…" instead`);
    for (const anchor of [part['$anchor'], part['$dynamicAnchor']])
      if (typeof anchor === 'string') targets.add(`#${anchor}`);
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      if (keyword in part) references.push({ at: `${SCHEMA_AT}${pointer}/${keyword}`, target: part[keyword] });
    }
  });

  for (const { at, target } of references) {
    if (typeof target !== 'string') throw new InvalidInputError(`${at} must be string`);
    if (!target.startsWith('#')) throw new InvalidInputError(`${at} must be a local reference that starts with "#"`);
    if (!targets.has(normalizeFragment(target))) throw new InvalidInputError(`${at} names no schema in ${SCHEMA_AT}`);
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
