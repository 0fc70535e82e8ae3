import { arraysFor } from './fill-array.ts';
import { numbersFor } from './fill-number.ts';
import { objectsFor } from './fill-object.ts';
import { optionsFor, booleansFor } from './fill-option.ts';
import { stringsFor } from './fill-string.ts';
import { madeUp, type Filled, type Filling, type Range } from './filling.ts';
import { fitsSchema, limitedVisits } from './fits-schema.ts';
import { flatten } from './flatten-schema.ts';
import { isObject, listOf, type Schema } from './json.ts';
import { readMessage } from './read-message.ts';
import { slotOf, type Slot } from './slot.ts';
import { stemsOf } from './words.ts';

export interface FillOptions {
  /** The date that `tomorrow` is relative to. */
  readonly today: Date;
  /** The name and description of the tool. Their words are not used as values. */
  readonly subject?: string;
  /** The input of an earlier call, for values that the message does not contain. */
  readonly known?: Readonly<Record<string, unknown>>;
}

/** A value for a schema. `evidence` is how much of it comes from the message (0: nothing). */
export interface FilledSchema {
  readonly value: unknown;
  readonly evidence: number;
}

/**
 * Generates a value that the JSON Schema (draft 7 or 2020-12, local references only) accepts, from the words of a message where possible:
 * names, numbers in the schema's unit, days, options of an enum. Missing optional values are omitted; missing required values are
 * the default, an example or the simplest valid value. Returns `undefined` if no valid value was found.
 */
export function fillSchema(
  schema: unknown,
  message: string,
  { today, subject = '', known = {} }: FillOptions,
): FilledSchema | undefined {
  const stated = jsonIn(message);
  if (stated !== undefined && fitsSchema(stated, schema, schema)) return { value: stated, evidence: 10 };
  const filling: Filling = {
    reading: readMessage(message, today),
    root: schema,
    subject: stemsOf(subject),
    known,
    taken: [],
    steps: 0,
    checks: 0,
    visits: limitedVisits(),
  };
  return fillSlot(schema, slotOf('', {}, { required: true }), filling, 0);
}

/** How many schemas are visited for one value before the search ends, and before only required values are filled. */
const mostSteps = 50_000;
const mostChecks = 60_000;
const thoroughSteps = 3000;
const mostDepth = 40;
const thoroughDepth = 12;

/** Whether to omit optional values, because the schema is large or recursive. */
export function isTerse({ steps }: Filling, depth: number): boolean {
  return steps > thoroughSteps || depth > thoroughDepth;
}

/** The best value for one slot; marks its parts of the message as used. Undefined if there is none. */
export function fillSlot(schema: unknown, slot: Slot, filling: Filling, depth: number): Filled | undefined {
  for (const filled of candidatesFor(schema, slot, filling, depth)) {
    filling.taken.push(...filled.spans);
    return filled;
  }
  return undefined;
}

/** The candidate values for a slot, best first. When a value is yielded, nested values have marked their parts of the message as used. */
export function* candidatesFor(schema: unknown, slot: Slot, filling: Filling, depth: number): Generator<Filled> {
  filling.steps += 1;
  if (depth > mostDepth || filling.steps > mostSteps || filling.checks > mostChecks) return;
  const flat = flatten(schema, filling.root, filling.visits);
  if (flat === undefined) return;
  const { base, choices } = flat;
  const candidates =
    Array.isArray(base['enum']) || Object.hasOwn(base, 'const')
      ? optionsFor(base, slot, filling)
      : choices.length > 0
        ? branchesFor(base, choices, slot, filling, depth)
        : typedFor(base, slot, filling, depth);
  let tried = 0;
  for (const filled of candidates) {
    if (fitsSchema(filled.value, schema, filling.root, filling.visits)) yield filled;
    tried += 1;
    filling.checks += 1;
    if (tried > 3000 || filling.checks > mostChecks || filling.visits.left <= 0) return;
  }
}

/** The alternatives of the first choice, ordered by their evidence in the message. */
function* branchesFor(
  base: Schema,
  [choice = [], ...others]: readonly (readonly unknown[])[],
  slot: Slot,
  filling: Filling,
  depth: number,
): Generator<Filled> {
  const branches = choice.map((branch) => ({ allOf: [base, branch, ...others.map((anyOf) => ({ anyOf }))] }));
  const start = filling.taken.length;
  const firstOf = (branch: Schema): Branch | undefined => {
    const { value: filled } = candidatesFor(branch, slot, filling, depth + 1).next();
    return filled === undefined ? undefined : { branch, filled, taken: filling.taken.splice(start) };
  };
  if (isTerse(filling, depth)) {
    for (const branch of branches.toSorted((a, b) => weightOf(a) - weightOf(b))) {
      yield* candidatesFor(branch, slot, filling, depth + 1);
      filling.taken.length = start;
    }
    return;
  }
  const ranked = branches
    .map(firstOf)
    .filter((found) => found !== undefined)
    .toSorted(
      (a, b) =>
        b.filled.evidence - a.filled.evidence || Number(b.filled.value === null) - Number(a.filled.value === null),
    );
  for (const { filled, taken } of ranked) {
    filling.taken.push(...taken);
    yield filled;
    filling.taken.length = start;
  }
  for (const { branch } of ranked) {
    yield* candidatesFor(branch, slot, filling, depth + 1);
    filling.taken.length = start;
  }
}

interface Branch {
  readonly branch: Schema;
  readonly filled: Filled;
  readonly taken: readonly Range[];
}

/** The weight of a branch. Branches without recursion are preferred, so that recursive schemas end. */
function weightOf(branch: Schema): number {
  const text = JSON.stringify(branch);
  return text.includes('"$ref"') ? 1e9 + text.length : text.length;
}

function* typedFor(base: Schema, slot: Slot, filling: Filling, depth: number): Generator<Filled> {
  const type = base['type'];
  const types =
    type === undefined ? [typeHinted(base), 'string', 'object', 'number', 'boolean', 'array', 'null'] : [type];
  for (const each of new Set(types)) yield* ofType(each, base, slot, filling, depth);
}

function* ofType(type: unknown, base: Schema, slot: Slot, filling: Filling, depth: number): Generator<Filled> {
  const start = filling.taken.length;
  switch (type) {
    case 'string':
      yield* stringsFor(base, slot, filling);
      return;
    case 'number':
    case 'integer':
      for (const filled of numbersFor(base, slot, filling))
        yield Object.is(filled.value, -0) ? { ...filled, value: 0 } : filled;
      return;
    case 'boolean':
      yield* booleansFor(base, slot, filling);
      return;
    case 'null':
      yield madeUp(null);
      return;
    case 'array':
      for (const filled of arraysFor(base, slot, filling, depth)) {
        yield filled;
        filling.taken.length = start;
      }
      return;
    case 'object':
      for (const filled of objectsFor(base, slot, filling, depth)) {
        yield filled;
        filling.taken.length = start;
      }
      return;
    default:
  }
}

const typeHints: readonly (readonly [string, string])[] = [
  [
    'object',
    'properties required additionalProperties patternProperties propertyNames minProperties maxProperties dependencies dependentRequired dependentSchemas',
  ],
  ['array', 'items prefixItems contains minItems maxItems uniqueItems'],
  ['string', 'minLength maxLength pattern format'],
  ['number', 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'],
];

function typeHinted(base: Schema): string {
  return (
    typeHints.find(([, keywords]) => keywords.split(' ').some((keyword) => Object.hasOwn(base, keyword)))?.[0] ??
    'string'
  );
}

/** A JSON object that is written in the message. */
function jsonIn(message: string): unknown {
  const start = message.indexOf('{');
  const end = message.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  try {
    const value: unknown = JSON.parse(message.slice(start, end + 1));
    return isObject(value) || listOf(value).length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}
