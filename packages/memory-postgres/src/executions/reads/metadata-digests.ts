import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@halyard/contracts';

/**
 * One digest for each member of the metadata. Two digests are equal if and only if key and value
 * are equal as JSON. An index on them finds executions that have all given members. Unlike an index
 * on `jsonb`, it supports every JSON string, and does not match `{ a: { b: 1 } }` with
 * `{ a: { b: 1, c: 2 } }`.
 */
export function metadataDigests(metadata: JsonObject): readonly string[] {
  return Object.entries(metadata).map(([key, value]) =>
    createHash('sha256')
      .update(`${JSON.stringify(key)}:${canonicalJson(value)}`)
      .digest('base64url'),
  );
}

/** JSON with sorted keys. */
function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join()}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.toSorted().join()}}`;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
