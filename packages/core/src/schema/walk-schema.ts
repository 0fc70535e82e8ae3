import { isJsonSchemaObject, type JsonSchema } from './schema.ts';

/** Called with each subschema, the root first, and its JSON pointer (`''` for the root). */
export type VisitSchema = (schema: JsonSchema | boolean, pointer: string) => void;

/**
 * Visits every subschema of a JSON Schema by the keywords of draft-07, 2019-09 and 2020-12. Never descends into data (`enum`,
 * `const`, `default`, `examples`) or unknown keywords. Skips invalid values, which the meta-schema reports.
 */
export function walkSchema(schema: unknown, visit: VisitSchema, pointer = ''): void {
  if (typeof schema === 'boolean') return visit(schema, pointer);
  if (!isJsonSchemaObject(schema)) return;

  visit(schema, pointer);
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${pointer}/${keyword}`;
    if (SCHEMA_KEYWORDS.has(keyword)) walkSchema(value, visit, at);
    if (ARRAY_KEYWORDS.has(keyword) && Array.isArray(value))
      value.forEach((item, index) => walkSchema(item, visit, `${at}/${index}`));
    if (MAP_KEYWORDS.has(keyword) && isJsonSchemaObject(value)) {
      for (const [name, item] of Object.entries(value)) walkSchema(item, visit, `${at}/${escapePointer(name)}`);
    }
  }
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
