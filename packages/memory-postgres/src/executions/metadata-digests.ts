import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@halyard/contracts';

/**
 * One text for each member: equal if and only if key and value are equal as JSON. An index over them answers "has each of these members", for values that `jsonb`
 * does not hold too, and tells `{ a: { b: 1 } }` from what only contains it.
 */
export function metadataDigests(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata).map(([key, value]) =>
    createHash('sha256')
      .update(`${JSON.stringify(key)}:${canonical(value)}`)
      .digest('base64url'),
  );
}

/** JSON whose keys are in order. */
function canonical(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.toSorted().join()}}`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
