import { ConfigurationError } from '@halyard/contracts';
import type { CompiledSchema, ValidationResult } from '../../schema/compile-schema.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import type { AgentEvent } from '../agent-event.ts';
import { ElementScanner } from './element-scanner.ts';
import type { ObjectOutput } from './object-output.ts';
import type { ElementEvent } from './object-stream.ts';

/** How many elements a list may have. */
export interface ListLimits {
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
}

/**
 * A list as the output of a run. The model writes it into an object, as not every provider accepts
 * a schema of another type.
 */
export function arrayOutput<Element>(
  element: CompiledSchema<Element>,
  limits: ListLimits,
): ObjectOutput<Element[], ElementEvent<Element>> {
  checkLimits(limits);
  const { maxItems = Infinity } = limits;
  return {
    schema: {
      jsonSchema: listSchema(element.jsonSchema, limits),
      isClosed: element.isClosed,
      validate: (value, at) => validateList(value, at, element, limits),
    },
    partials: (batches) => newElements(batches, element, maxItems),
  };
}

function checkLimits({ maxItems, minItems }: ListLimits): void {
  for (const [name, limit] of Object.entries({ minItems, maxItems })) {
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 0))
      throw new ConfigurationError(`\`${name}\` must be an integer from 0 on`);
  }
  if (minItems !== undefined && maxItems !== undefined && minItems > maxItems)
    throw new ConfigurationError('`minItems` must not be greater than `maxItems`');
}

/** References in the schema of an element lead to the root. */
function listSchema(element: JsonSchema, { maxItems, minItems }: ListLimits): JsonSchema {
  const { $schema: _, definitions, $defs, ...items } = element;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...(definitions !== undefined && { definitions }),
    ...($defs !== undefined && { $defs }),
    type: 'object',
    properties: {
      elements: {
        type: 'array',
        items,
        ...(minItems !== undefined && { minItems }),
        ...(maxItems !== undefined && { maxItems }),
      },
    },
    required: ['elements'],
    additionalProperties: false,
  };
}

async function validateList<Element>(
  value: unknown,
  at: string,
  element: CompiledSchema<Element>,
  { maxItems = Infinity, minItems = 0 }: ListLimits,
): Promise<ValidationResult<Element[]>> {
  if (typeof value !== 'object' || value === null || !('elements' in value) || !Array.isArray(value.elements))
    return { ok: false, message: `${at} must be an object with the list "elements"` };
  const { length } = value.elements;
  if (length < minItems) return { ok: false, message: `${at}/elements must have at least ${counted(minItems)}` };
  if (length > maxItems) return { ok: false, message: `${at}/elements must have at most ${counted(maxItems)}` };
  const accepted: Element[] = [];
  for (const [index, item] of value.elements.entries()) {
    const result = await element.validate(item, `${at}/elements/${index}`);
    if (!result.ok) return result;
    accepted.push(result.value);
  }
  return { ok: true, value: accepted };
}

function counted(count: number): string {
  return count === 1 ? '1 element' : `${count} elements`;
}

/**
 * The elements of the reply while it is written, up to the first invalid one. In a second reply,
 * only those that differ from the first.
 */
async function* newElements<Element>(
  batches: AsyncIterable<readonly AgentEvent[]>,
  schema: CompiledSchema<Element>,
  maxItems: number,
): AsyncGenerator<ElementEvent<Element>> {
  const emitted: string[] = [];
  let scanner = new ElementScanner();
  let index = 0;
  for await (const batch of batches) {
    for (const event of batch) {
      if (event.agentId !== undefined) continue;
      if (event.type === 'start-step') [scanner, index] = [new ElementScanner(), 0];
      if (event.type !== 'text-delta') continue;
      for (const json of scanner.add(event.delta)) {
        const element = index < maxItems ? await readElement(json, schema) : undefined;
        // The reply will be refused.
        if (element === undefined) index = Infinity;
        else if (emitted[index] !== json) yield { type: 'element', index, element: element.value };
        if (element !== undefined) emitted[index] = json;
        index += 1;
      }
    }
  }
}

async function readElement<Element>(
  json: string,
  schema: CompiledSchema<Element>,
): Promise<{ readonly value: Element } | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const result = await schema.validate(value, 'element');
  return result.ok ? result : undefined;
}
