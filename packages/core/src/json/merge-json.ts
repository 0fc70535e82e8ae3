/**
 * One JSON value with the changes of another: fields of objects are merged, everything else is
 * replaced. As `useChat` merges the metadata of a message.
 */
export function mergeJson(base: unknown, changes: unknown): unknown {
  if (!isObject(base) || !isObject(changes)) return changes;
  const merged = Object.entries(changes).map(([name, value]) => [
    name,
    Object.hasOwn(base, name) ? mergeJson(base[name], value) : value,
  ]);
  return Object.fromEntries([...Object.entries(base), ...merged]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
