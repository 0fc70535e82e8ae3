import { isJson, type Json } from './schema-keywords.ts';

/**
 * Whether data contains a text named `$ref`. Tools that read a document take it for a reference,
 * and fail.
 */
export function looksLikeReference(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return Object.entries(data).some(
    ([key, value]) => (key === '$ref' && typeof value === 'string' && isJson(data)) || looksLikeReference(value),
  );
}

/** A schema that only accepts `data`, without data that looks like a reference. */
export function schemaOf(data: unknown): Json {
  // Inside `not`, properties do not count as evaluated, as with `const`.
  return looksLikeReference(data) ? { not: { not: partOf(data) } } : { const: data };
}

function partOf(data: unknown): Json {
  if (!looksLikeReference(data)) return { const: data };
  if (Array.isArray(data)) return { type: 'array', prefixItems: data.map(partOf), minItems: data.length, items: false };
  const entries = Object.entries(data as Json);
  return {
    type: 'object',
    required: entries.map(([name]) => name),
    properties: Object.fromEntries(entries.map(([name, value]) => [name, partOf(value)])),
    additionalProperties: false,
  };
}
