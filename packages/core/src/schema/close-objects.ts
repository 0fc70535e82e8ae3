import { isJsonSchemaObject, type JsonSchema } from './schema.ts';

/**
 * A copy of a JSON Schema whose objects accept no further properties, which the strict mode of
 * providers requires. An object that says something of further properties stays as it is, and so do
 * the parts of an intersection (`allOf`).
 */
export function closeObjects(schema: JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) copy[keyword] = closeWithin(keyword, value);
  if (isOpen(schema)) copy['additionalProperties'] = false;
  return copy;
}

function isOpen(schema: JsonSchema): boolean {
  const type = schema['type'];
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  return isObject && 'properties' in schema && !decidingKeywords.some((keyword) => keyword in schema);
}

const decidingKeywords = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'allOf'];

function closeWithin(keyword: string, value: unknown): unknown {
  if (schemaMaps.has(keyword) && isJsonSchemaObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, close(item)]));
  if (!nestedKeywords.has(keyword)) return value;
  return Array.isArray(value) ? value.map(close) : close(value);
}

const schemaMaps: ReadonlySet<string> = new Set(['$defs', 'definitions', 'properties']);

const nestedKeywords: ReadonlySet<string> = new Set(['additionalProperties', 'anyOf', 'items', 'oneOf', 'prefixItems']);

function close(schema: unknown): unknown {
  return isJsonSchemaObject(schema) ? closeObjects(schema) : schema;
}
