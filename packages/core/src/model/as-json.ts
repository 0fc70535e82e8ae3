import type { JSONValue } from '@ai-sdk/provider';

/**
 * A value as JSON carries it: dates as text, `undefined` dropped, class instances as their fields. So model, client and journal see one thing.
 *
 * @throws TypeError for what JSON cannot carry: a cycle, a BigInt.
 */
export function asJson(value: unknown): JSONValue {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as JSONValue);
}
