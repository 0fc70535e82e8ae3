import { type JsonSchema, resolveSchema } from './json-schema.ts';

/** Recursive schemas end here. */
const deepest = 6;

/**
 * The initial value of a form: defaults, constants and required objects. Undefined: the field is
 * empty, or left out.
 */
export function initialValue(schema: JsonSchema, root: JsonSchema, depth = 0): unknown {
  const { field, isNullable, schema: own } = resolveSchema(schema, root);
  if (own.default !== undefined) return structuredClone(own.default);
  if (field.kind === 'constant') return field.value;
  if (field.kind === 'null') return null;
  if (isNullable || depth > deepest) return undefined;
  if (field.kind === 'object') {
    const entries = field.properties
      .map(({ isRequired, name, schema: each }): [string, unknown] => [
        name,
        isRequired || each.default !== undefined ? initialValue(each, root, depth + 1) : undefined,
      ])
      .filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries);
  }
  if (field.kind === 'array') {
    const count = Math.min(own.minItems ?? 0, 20);
    return Array.from({ length: count }, () => initialValue(field.items, root, depth + 1));
  }
  if (field.kind === 'tuple') return field.items.map((each) => initialValue(each, root, depth + 1));
  if (field.kind === 'union' && field.branches[0] !== undefined)
    return initialValue(field.branches[0], root, depth + 1);
  return undefined;
}
