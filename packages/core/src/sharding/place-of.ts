import { type CreateOptions, InvalidInputError } from '@halyard/contracts';

/** What decides on which shard an execution lives. */
export interface Place {
  readonly kind: 'id' | 'key';
  readonly text: string;
}

/**
 * The keys of each option. A new option must be added here: a rule for all executions with the same key holds only if they live on the same shard.
 */
const keyOf: { readonly [Name in keyof CreateOptions]-?: (options: CreateOptions) => string | undefined } = {
  concurrency: ({ concurrency }) => concurrency?.key,
  debounce: ({ debounce }) => debounce?.key,
  definition: withoutKey,
  dueInMs: withoutKey,
  journal: withoutKey,
  priority: withoutKey,
  requestId: withoutKey,
  resumptions: withoutKey,
  singleton: ({ singleton }) => singleton?.key,
  throttle: ({ throttle }) => throttle?.key,
};

/**
 * Executions with a key live with the others of this key, all others where their id says.
 *
 * @throws InvalidInputError when the options have several keys, because those with one and those with another may live on different shards.
 */
export function placeOf(id: string, options: CreateOptions): Place {
  const [text, other] = new Set(Object.values(keyOf).flatMap((find) => find(options) ?? []));
  if (other !== undefined)
    throw new InvalidInputError(
      `With several shards, concurrency, throttle, singleton and debounce of a workflow must have the same key: "${text}" and "${other}" may be on different shards`,
    );
  return text === undefined ? { kind: 'id', text: id } : { kind: 'key', text };
}

function withoutKey(): undefined {}
