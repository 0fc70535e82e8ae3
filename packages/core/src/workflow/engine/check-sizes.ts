import type { JsonObject } from '@halyard/contracts';
import { type AgentServices, defaultExecutionValueBytes } from '../../agent/agent-services.ts';
import { checkSize } from '../../json/json-bytes.ts';

/**
 * Checks the values of a request that an execution stores, by their names in error messages.
 *
 * @throws InvalidInputError `VALUE_TOO_LARGE` naming the value.
 */
export function checkSizes(
  values: JsonObject,
  { executionValueBytes = defaultExecutionValueBytes }: Pick<AgentServices, 'executionValueBytes'>,
): void {
  for (const [name, value] of Object.entries(values)) checkSize(value, executionValueBytes, name);
}
