import { arraysFor } from './fill-array.ts';
import { numbersFor } from './fill-number.ts';
import { objectsFor } from './fill-object.ts';
import { optionsFor, booleansFor } from './fill-option.ts';
import { stringsFor } from './fill-string.ts';
import { madeUp, type Filled, type Filling, type Range } from './filling.ts';
import { fitsSchema } from './fits-schema.ts';
import { flatten } from './flatten-schema.ts';
import { isObject, listOf, type Schema } from './json.ts';
import { readMessage } from './read-message.ts';
import { slotOf, type Slot } from './slot.ts';
import { stemsOf } from './words.ts';

export interface FillOptions {
  /** What `tomorrow` is reckoned from. */
  readonly today: Date;
  /** What the tool is called and does, whose words are not values. */
  readonly subject?: string;
  /** The input of an earlier call, for what the message leaves out. */
  readonly known?: Readonly<Record<string, unknown>>;
}

/** A value for a schema, and how much of it the message said (0: nothing). */
export interface FilledSchema {
  readonly value: unknown;
  readonly evidence: number;
}

/**
 * A value that the JSON Schema (draft 7 or 2020-12, local references only) accepts, made from the words of a message as far as they go:
 * names, numbers in the schema's unit, days, options of an enum. What the message leaves open is omitted where optional, else
 * the default, an example or the plainest valid value. `undefined` when nothing valid was found.
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
  };
  return fillSlot(schema, slotOf('', {}, { required: true }), filling, 0);
}

/** Schemas looked at for one value before it gives up, and before it fills only what it must. */
const mostSteps = 50_000;
const mostChecks = 60_000;
const thoroughSteps = 3000;
const mostDepth = 40;
const thoroughDepth = 12;

/** Whether to leave out all that is optional: the schema is large or leads back to itself. */
export function isTerse({ steps }: Filling, depth: number): boolean {
  return steps > thoroughSteps || depth > thoroughDepth;
}

/** The best value for one slot, its pieces of the message taken; undefined when none was found. */
export function fillSlot(schema: unknown, slot: Slot, filling: Filling, depth: number): Filled | undefined {
  for (const filled of candidatesFor(schema, slot, filling, depth)) {
    filling.taken.push(...filled.spans);
    return filled;
  }
  return undefined;
}

/** All valid values for a slot that come to mind, best first. Nested values have taken their pieces when a value is handed out. */
export function* candidatesFor(schema: unknown, slot: Slot, filling: Filling, depth: number): Generator<Filled> {
  filling.steps += 1;
  if (depth > mostDepth || filling.steps > mostSteps || filling.checks > mostChecks) return;
  const flat = flatten(schema, filling.root);
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
    if (fitsSchema(filled.value, schema, filling.root)) yield filled;
    tried += 1;
    filling.checks += 1;
    if (tried > 3000 || filling.checks > mostChecks) return;
  }
}

/** The alternatives of the first choice, the one the message says most about first. */
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

/** Branches that end soon are light: a schema that leads back to itself must come to an end. */
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

/** A JSON object that the message spells out. */
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
