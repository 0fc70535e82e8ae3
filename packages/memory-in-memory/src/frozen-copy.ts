/** A copy of a JSON value that nobody can change, so that it can be kept, and handed out as it is kept. */
export function frozenCopy<Value>(value: Value): Value {
  return copied(value) as Value;
}

function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? copiedList(value) : copiedFields(value);
}

function copiedList(value: readonly unknown[]): readonly unknown[] {
  const list = value.slice();
  for (let index = 0; index < list.length; index += 1) list[index] = copied(list[index]);
  return Object.freeze(list);
}

function copiedFields(value: object): object {
  // To spread gives each field a place of its own, also one named `__proto__`: what is then put into it stays there.
  const fields: Record<string, unknown> = { ...value };
  // Without a list of the names; those of a prototype that somebody has added to are not its own.
  for (const name in fields) {
    const member = fields[name];
    if (typeof member === 'object' && member !== null && Object.hasOwn(fields, name)) fields[name] = copied(member);
  }
  return Object.freeze(fields);
}
