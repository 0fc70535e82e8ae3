import { isJsonSchemaObject, type JsonSchema } from './schema.ts';

/** Called with each subschema, the root first, and its JSON pointer (`''` for the root). */
export type VisitSchema = (schema: JsonSchema | boolean, pointer: string) => void;

/**
 * Visits every subschema of a JSON Schema by the keywords of draft-07, 2019-09 and 2020-12. Never
 * descends into data (`enum`, `const`, `default`, `examples`) or unknown keywords. Skips invalid
 * values, which the meta-schema reports.
 */
export function walkSchema(schema: unknown, visit: VisitSchema, pointer = ''): void {
  if (typeof schema === 'boolean') return visit(schema, pointer);
  if (!isJsonSchemaObject(schema)) return;

  visit(schema, pointer);
  for (const [place, part] of partsOf(schema)) walkSchema(part, visit, `${pointer}/${place}`);
}

/**
 * The subschemas directly inside a schema. Definitions are not included: they are checked only
 * where something refers to them.
 */
export function subschemas(schema: JsonSchema): readonly (JsonSchema | boolean)[] {
  return partsOf(schema).flatMap(([place, part]) =>
    isSchema(part) && !/^(?:\$defs|definitions)\//.test(place) ? [part] : [],
  );
}

/** The contents of a subschema, with the rest of its JSON pointer. */
function partsOf(schema: JsonSchema): readonly (readonly [place: string, part: unknown])[] {
  const parts: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (SCHEMA_KEYWORDS.has(keyword)) parts.push([keyword, value]);
    if (ARRAY_KEYWORDS.has(keyword) && Array.isArray(value))
      value.forEach((item, index) => parts.push([`${keyword}/${index}`, item]));
    if (MAP_KEYWORDS.has(keyword) && isJsonSchemaObject(value))
      for (const [name, item] of Object.entries(value)) parts.push([`${keyword}/${escapePointer(name)}`, item]);
  }
  return parts;
}

function isSchema(part: unknown): part is JsonSchema | boolean {
  return typeof part === 'boolean' || isJsonSchemaObject(part);
}

/** One segment of a JSON pointer (RFC 6901). */
export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}

const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

const ARRAY_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);

const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
