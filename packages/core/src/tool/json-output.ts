import { HalyardError, type JsonValue } from '@halyard/contracts';
import { NotJsonError, toJson } from '../json/to-json.ts';

/**
 * What a tool returned as the JSON that model, client and journal see alike: a Date becomes its ISO string, nothing becomes null.
 *
 * @throws HalyardError (`TOOL_FAILED`) for what JSON cannot carry: a BigInt, a Map, a Set, a function, a symbol, a cycle.
 */
export function jsonOutput(toolName: string, output: unknown): JsonValue {
  try {
    return toJson(output);
  } catch (error) {
    const why =
      error instanceof NotJsonError
        ? `${error.message}, which is not JSON`
        : 'something that cannot be written as JSON';
    throw new HalyardError('failed', 'TOOL_FAILED', `Tool "${toolName}" returned ${why}`, { cause: error });
  }
}
