/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/**
 * The keywords of JSON Schema whose value contains schemas: one, a list, or one for each name.
 * Other keywords contain data.
 */
export const schemaKeywords: ReadonlyMap<string, 'schema' | 'list' | 'map'> = new Map([
  ['additionalItems', 'schema'],
  ['additionalProperties', 'schema'],
  ['contains', 'schema'],
  ['contentSchema', 'schema'],
  ['else', 'schema'],
  ['if', 'schema'],
  ['items', 'schema'],
  ['not', 'schema'],
  ['propertyNames', 'schema'],
  ['then', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['prefixItems', 'list'],
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['dependencies', 'map'],
  ['dependentSchemas', 'map'],
  ['patternProperties', 'map'],
  ['properties', 'map'],
]);

/** A schema directly inside another one, with its keyword and its JSON pointer. */
export type InnerSchema = readonly [keyword: string, pointer: string, schema: Json];

/** The schemas directly inside a schema. Names in a map are never read as keywords. */
export function innerSchemas(schema: Json, pointer: string): readonly InnerSchema[] {
  return Object.entries(schema).flatMap(([keyword, value]): readonly InnerSchema[] => {
    const kind = schemaKeywords.get(keyword);
    const at = `${pointer}/${escapePointer(keyword)}`;
    if (kind === undefined) return [];
    if (kind === 'schema' && isJson(value)) return [[keyword, at, value]];
    // Before 2020-12, `items` could be a list.
    if (kind === 'map' ? !isJson(value) : !Array.isArray(value)) return [];
    return Object.entries(value as object).flatMap(([name, inner]): readonly InnerSchema[] =>
      isJson(inner) ? [[keyword, `${at}/${escapePointer(name)}`, inner]] : [],
    );
  });
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One segment of a JSON pointer (RFC 6901). */
export function escapePointer(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
