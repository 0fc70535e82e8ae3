import { HalyardError } from '@halyard/contracts';
import type { JSONValue } from '../model/model-port.ts';

/**
 * What a tool returned as the JSON that model, client and journal see alike: a Date becomes its ISO string, nothing becomes null.
 *
 * @throws HalyardError (`TOOL_FAILED`) for what JSON cannot carry: a BigInt, a Map, a Set, a function, a symbol, a cycle.
 */
export function jsonOutput(toolName: string, output: unknown): JSONValue {
  if (output === undefined || output === null) return null;
  if (typeof output === 'string' || typeof output === 'boolean') return output;
  try {
    return JSON.parse(JSON.stringify(output, refuseOthers)) as JSONValue;
  } catch (error) {
    const why = error instanceof NotJsonError ? error.message : 'something that cannot be written as JSON';
    throw new HalyardError('failed', 'TOOL_FAILED', `Tool "${toolName}" returned ${why}`, { cause: error });
  }
}

class NotJsonError extends TypeError {}

function refuseOthers(key: string, value: unknown): unknown {
  const kind = kindBeyondJson(value);
  if (kind === undefined) return value;
  throw new NotJsonError(`${kind}${key === '' ? '' : ` in "${key}"`}, which is not JSON`);
}

function kindBeyondJson(value: unknown): string | undefined {
  switch (typeof value) {
    case 'bigint':
      return 'a BigInt';
    case 'function':
      return 'a function';
    case 'symbol':
      return 'a symbol';
    case 'object':
      if (value instanceof Map) return 'a Map';
      return value instanceof Set ? 'a Set' : undefined;
    default:
      return undefined;
  }
}
