/**
 * A deep copy of a JSON value that cannot be changed, so that a store can return it without another
 * copy.
 */
export function frozenCopy<Value>(value: Value): Value {
  return copyOf(value) as Value;
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copyOf));

  // The spread makes `__proto__` a field like any other, so that the assignment below does not set
  // the prototype.
  const fields: Record<string, unknown> = { ...value };
  for (const name of Object.keys(fields)) fields[name] = copyOf(fields[name]);
  return Object.freeze(fields);
}
