import { ConfigurationError } from '@halyard/contracts';
import type { AgentEvent } from '../agent-event.ts';
import type { ObjectOutput } from './object-output.ts';
import type { PartialEvent } from './object-stream.ts';
import { partialObjects } from './partial-objects.ts';

/**
 * One of several texts as the output of a run. The model writes it into an object. @throws
 * ConfigurationError
 */
export function choiceOutput<Choice extends string>(options: readonly Choice[]): ObjectOutput<Choice, PartialEvent> {
  const given: unknown = options;
  if (!Array.isArray(given) || given.length === 0 || given.some((option) => typeof option !== 'string'))
    throw new ConfigurationError('`options` must contain at least one text, and nothing else');
  const names = options.map((option) => JSON.stringify(option)).join(', ');
  return {
    schema: {
      jsonSchema: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { result: { type: 'string', enum: [...options] } },
        required: ['result'],
        additionalProperties: false,
      },
      isClosed: true,
      validate: (value, at) => {
        const result = resultIn(value);
        const chosen = options.find((option) => option === result);
        return chosen === undefined
          ? { ok: false, message: `${at}/result must be one of ${names}` }
          : { ok: true, value: chosen };
      },
    },
    partials: (batches) => foreseenChoice(batches, options),
  };
}

/** The option, once the text of the model can become no other one. */
async function* foreseenChoice(
  batches: AsyncIterable<readonly AgentEvent[]>,
  options: readonly string[],
): AsyncGenerator<PartialEvent> {
  let last: string | undefined;
  for await (const { object } of partialObjects(batches)) {
    const result = resultIn(object);
    if (result === undefined) continue;
    const possible = options.filter((option) => option.startsWith(result));
    const [only] = possible;
    if (possible.length !== 1 || only === undefined || only === last) continue;
    last = only;
    yield { type: 'partial', object: only };
  }
}

function resultIn(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'result' in value && typeof value.result === 'string'
    ? value.result
    : undefined;
}
