import type { JsonObject } from '@halyard/contracts';
import { fromText, toText } from '../connection/text-codec.ts';

/** A state as it is stored: its fields, each as the text of its value. So the database merges two of them, and holds what `jsonb` does not. */
export type StateMembers = Readonly<Record<string, string>>;

export function toStateMembers(state: JsonObject): StateMembers {
  return Object.fromEntries(Object.entries(state).map(([key, value]) => [toText(key), JSON.stringify(value)]));
}

export function fromStateMembers(members: StateMembers): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [fromText(key), JSON.parse(value) as JsonObject[string]]),
  );
}
