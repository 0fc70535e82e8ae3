import {
  checkOptionNames,
  ConfigurationError,
  type CreateOptions,
  InvalidInputError,
  type JsonObject,
  type JsonValue,
  type OptionNames,
} from '@halyard/contracts';
import { copyJson } from '../../json/to-json.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

const largestLimit = 10_000;
const longestKey = 256;

/** How many executions of a workflow run at the same time, in all processes together. */
export interface ConcurrencyOptions<In = unknown> {
  /** 1 to 10 000. Executions beyond it wait. Those that sleep or are suspended do not count. */
  readonly limit: number;
  /**
   * Executions with the same key share the limit: return the tenant, or the document that is changed. Called once for each start. At most 256
   * characters. Default: all executions of the workflow share it.
   */
  key?(start: { readonly input: In; readonly context: Readonly<Record<string, unknown>> }): string;
}

const optionNames: OptionNames<ConcurrencyOptions> = { key: true, limit: true };

/** @throws ConfigurationError for an unknown option or an invalid limit. */
export function checkConcurrency(workflowId: string, options: ConcurrencyOptions<never>): void {
  checkOptionNames(`\`concurrency\` of workflow "${workflowId}"`, options, optionNames);
  const { limit } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > largestLimit)
    throw new ConfigurationError(
      `The concurrency limit of workflow "${workflowId}" must be a whole number, 1 to ${largestLimit}: ${limit}`,
    );
}

/**
 * The priority and the concurrency with which an execution is created.
 *
 * @throws ConfigurationError when the key cannot be computed. @throws InvalidInputError when it is too long.
 */
export function startOrder(
  { concurrency, id, priority }: WorkflowDefinition,
  start: { readonly input: JsonValue; readonly context: JsonObject },
  options: { readonly priority?: number | undefined } = {},
): Pick<CreateOptions, 'priority' | 'concurrency'> {
  const order = { priority: options.priority ?? priority };
  if (concurrency === undefined) return order;
  const key = keyOf(id, concurrency, start);
  // Ids of workflows contain no space.
  return { ...order, concurrency: { key: `${id} ${key}`, limit: concurrency.limit } };
}

function keyOf(
  workflowId: string,
  concurrency: ConcurrencyOptions,
  { context, input }: { readonly input: JsonValue; readonly context: JsonObject },
): string {
  if (concurrency.key === undefined) return '';
  const what = `The concurrency key of workflow "${workflowId}"`;
  let key: unknown;
  try {
    key = concurrency.key({ input: copyJson(input), context: copyJson(context) });
  } catch (error) {
    throw new ConfigurationError(`${what} cannot be computed: its function threw an error`, { cause: error });
  }
  if (typeof key !== 'string') throw new ConfigurationError(`${what} must be a string, not ${typeof key}`);
  if (key.length > longestKey) throw new InvalidInputError(`${what} has more than ${longestKey} characters`);
  return key;
}
