import { innerSchemas, isJson, type Json } from './schema-keywords.ts';

/** Keywords whose schemas apply to the same value as the schema around them. */
const samePlaceKeywords: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
]);

/**
 * The components that refer to themselves without an object or an array between, so that neither
 * validation nor a type can end.
 */
export function endlessComponents(components: ReadonlyMap<string, Json | boolean>): ReadonlySet<string> {
  const successors = new Map([...components].map(([name, schema]) => [name, referencesAtSamePlace(schema)]));
  return new Set([...components.keys()].filter((name) => reaches(name, name, successors)));
}

function reaches(from: string, wanted: string, successors: ReadonlyMap<string, readonly string[]>): boolean {
  const found = new Set(successors.get(from));
  for (const name of found) for (const next of successors.get(name) ?? []) found.add(next);
  return found.has(wanted);
}

function referencesAtSamePlace(schema: Json | boolean): readonly string[] {
  if (!isJson(schema)) return [];
  const { $ref } = schema;
  const inner = innerSchemas(schema, '').flatMap(([keyword, , part]) =>
    samePlaceKeywords.has(keyword) ? referencesAtSamePlace(part) : [],
  );
  const own = typeof $ref === 'string' ? [$ref.slice($ref.lastIndexOf('/') + 1)] : [];
  return [...own, ...inner];
}
