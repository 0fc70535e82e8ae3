import type { User } from './ports.ts';

/**
 * The user that a provider told of, as a copy; null for what is none: anything but a plain object, or an `id` or `sub` that names nobody in particular.
 * Ids that are whole numbers become texts, so that they compare with what stores keep.
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

/** Numbers beyond the safe ones were rounded when they were read: two people may have the same. */
function toId(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}
