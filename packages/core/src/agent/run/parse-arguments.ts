import type { JSONValue } from '../../model/model-port.ts';

/** Arguments that are not JSON stay text, so that clients and the log show what the model wrote. */
export function parseArguments(input: string): JSONValue {
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input) as JSONValue;
  } catch {
    return input;
  }
}
