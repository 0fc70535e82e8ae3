/**
 * A copy of a schema in which only what is referred to keeps its `$id`.
 *
 * Names are for the document. Ajv would take each for a declaration, and refuse a schema that says the same name twice.
 */
export function withoutNames(schema: object): object {
  const referred = new Set<unknown>();
  collectReferences(schema, referred);
  return copyOf(schema, referred);
}

function collectReferences(value: unknown, referred: Set<unknown>): void {
  if (typeof value !== 'object' || value === null) return;
  if ('$ref' in value) referred.add(value.$ref);
  for (const part of Object.values(value)) collectReferences(part, referred);
}

function copyOf(value: object, referred: ReadonlySet<unknown>): object {
  if (Array.isArray(value)) return value.map((part) => copyPart(part, referred));
  const parts = Object.entries(value).filter(
    ([key, part]) => key !== '$id' || typeof part !== 'string' || referred.has(part),
  );
  return Object.fromEntries(parts.map(([key, part]) => [key, copyPart(part, referred)]));
}

function copyPart(value: unknown, referred: ReadonlySet<unknown>): unknown {
  return typeof value === 'object' && value !== null ? copyOf(value, referred) : value;
}
