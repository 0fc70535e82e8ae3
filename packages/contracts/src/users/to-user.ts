import type { User } from '../ports.ts';

/**
 * A copy of the user that an auth provider has returned; null for anything but a plain object, and
 * for an `id` or `sub` that does not identify one user. Integer ids become strings, because stores
 * compare ids as strings.
 */
export function toUser(value: unknown): User | null {
  if (!isPlainObject(value)) return null;
  const [id, sub] = [toId(value['id']), toId(value['sub'])];
  if (id === null || sub === null) return null;
  return { ...value, ...(id === undefined ? {} : { id }), ...(sub === undefined ? {} : { sub }) };
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Integers beyond the safe range are rounded when they are parsed, so that two users may get the
 * same id.
 */
function toId(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}
