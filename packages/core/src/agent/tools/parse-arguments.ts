import type { JSONValue } from '../../model/providers/model-port.ts';
import { isTooDeep, maxArgumentDepth } from '../../tool/argument-depth.ts';

/**
 * Arguments that are not JSON, or are nested too deep, stay text, so that clients and the log show
 * the model's own words.
 */
export function parseArguments(input: string): JSONValue {
  if (input.trim() === '') return {};
  const parsed = parse(input);
  return parsed === undefined || isTooDeepText(input, parsed) ? input : parsed;
}

/** Why arguments that stayed text are refused. */
export function textFault(input: string): string {
  const parsed = parse(input);
  if (parsed === undefined)
    return 'input must be a JSON object, but is not valid JSON. If the limit of output tokens has cut it, send less at once';
  return isTooDeepText(input, parsed)
    ? `input must not be nested deeper than ${maxArgumentDepth} levels`
    : 'input must be a JSON object';
}

function parse(input: string): JSONValue | undefined {
  try {
    return JSON.parse(input) as JSONValue;
  } catch {
    return undefined;
  }
}

/** Each level takes two characters, so that most arguments need no look at their values. */
function isTooDeepText(input: string, parsed: JSONValue | undefined): boolean {
  return input.length > 2 * maxArgumentDepth && isTooDeep(parsed);
}
