type Json = Record<string, unknown>;

/** Keywords whose value is data, not a schema. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/**
 * A JSON Schema of the app as a named component: references inside the schema lead to their place in the component, because `#` means
 * the whole document in OpenAPI.
 *
 * @param name the name of the component: letters, digits and `._-`.
 */
export function appSchema(name: string, schema: object): object {
  const places = new Map<string, string>();
  collectIds(schema, '', places);
  const root = `/components/schemas/${name}`;
  return { ...(rewrite(schema, (reference) => resolve(reference, root, places)) as Json), $id: name };
}

/** Finds the schemas inside that have an `$id`. */
function collectIds(value: unknown, pointer: string, places: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  if ('$id' in value && typeof value.$id === 'string' && !places.has(value.$id)) places.set(value.$id, pointer);
  for (const [key, member] of Object.entries(value))
    if (!dataKeywords.has(key)) collectIds(member, `${pointer}/${escape(key)}`, places);
}

function resolve(reference: string, root: string, places: ReadonlyMap<string, string>): string {
  const hash = reference.indexOf('#');
  const [id, pointer] = hash === -1 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
  const place = id === '' ? '' : places.get(id);
  return place === undefined ? reference : `#${root}${place}${pointer}`;
}

function rewrite(value: unknown, toReference: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, toReference));
  if (typeof value !== 'object' || value === null) return value;
  const rewritten: Json = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === '$id' || key === '$schema') continue;
    if (key === '$ref' && typeof member === 'string') rewritten[key] = toReference(member);
    else rewritten[key] = dataKeywords.has(key) ? member : rewrite(member, toReference);
  }
  return rewritten;
}

function escape(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1');
}
