import type { JsonObject, JsonValue } from '@halyard/contracts';

/** Whether each key of `wanted` is a key of `value` with an equal value. */
export function jsonHas(value: JsonObject, wanted: JsonObject): boolean {
  return Object.keys(wanted).every((key) => Object.hasOwn(value, key) && jsonEqual(value[key], wanted[key]));
}

/** Whether two values are equal as JSON: the order of an object's keys does not matter. */
function jsonEqual(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (isArray(left) || isArray(right)) {
    if (!isArray(left) || !isArray(right) || left.length !== right.length) return false;
    return left.every((value, index) => jsonEqual(value, right[index]));
  }
  return Object.keys(left).length === Object.keys(right).length && jsonHas(right, left);
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
