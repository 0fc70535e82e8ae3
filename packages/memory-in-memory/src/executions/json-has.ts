import type { JsonObject, JsonValue } from '@halyard/contracts';

/** Whether `value` has each of these keys with an equal value. */
export function jsonHas(value: JsonObject, wanted: readonly (readonly [key: string, value: JsonValue])[]): boolean {
  for (const [key, member] of wanted) {
    if (!jsonEqual(value[key], member) || !Object.hasOwn(value, key)) return false;
  }
  return true;
}

/** Whether two values are equal as JSON: the order of an object's keys does not matter. */
function jsonEqual(left: JsonValue | undefined, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (isArray(left) || isArray(right)) {
    if (!isArray(left) || !isArray(right) || left.length !== right.length) return false;
    return left.every((value, index) => jsonEqual(value, right[index] ?? null));
  }
  return Object.keys(left).length === Object.keys(right).length && hasAll(left, right);
}

function hasAll(value: JsonObject, wanted: JsonObject): boolean {
  for (const key in wanted) {
    if (!jsonEqual(value[key], wanted[key] ?? null) || !Object.hasOwn(value, key)) return false;
  }
  return true;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
