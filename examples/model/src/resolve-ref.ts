import { isObject, type Schema } from './json.ts';

/** The schema that a local `$ref` points to: a JSON pointer (`#/$defs/City`), an anchor (`#city`) or an `$id` within the root. */
export function resolveRef(ref: string, root: unknown): unknown {
  if (ref === '#') return root;
  if (ref.startsWith('#/')) return atPointer(ref, root);
  return withName(ref.replace(/^#/u, ''), root, 0);
}

function atPointer(pointer: string, root: unknown): unknown {
  let at: unknown = root;
  for (const part of pointer.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function withName(name: string, schema: unknown, depth: number): Schema | undefined {
  if (depth > 40 || typeof schema !== 'object' || schema === null) return undefined;
  if (isObject(schema) && (schema['$id'] === name || schema['$anchor'] === name || schema['$id'] === `#${name}`))
    return schema;
  for (const part of Object.values(schema)) {
    const found = withName(name, part, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
