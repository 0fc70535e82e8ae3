import { candidatesFor, fillSlot, isTerse } from './fill-schema.ts';
import { explicitValue, madeUp, type Filled, type Filling } from './filling.ts';
import { dependenciesOf, fitsSchema, propertySchemas } from './fits-schema.ts';
import { flatten } from './flatten-schema.ts';
import { isObject, numberOf, objectOf, stringsOf, type Schema } from './json.ts';
import { slotOf, type Slot } from './slot.ts';

/** Objects for the slot: with the values in the message, with only the required properties, with all properties, and variations. */
export function* objectsFor(schema: Schema, slot: Slot, filling: Filling, depth: number): Generator<Filled> {
  const start = filling.taken.length;
  const modes: readonly Mode[] = isTerse(filling, depth) ? ['required'] : ['mentioned', 'required', 'all'];
  for (const mode of modes) {
    const filled = fillProperties(schema, slot, filling, depth, mode);
    if (filled !== undefined) {
      yield filled;
      yield* variationsOf(filled, schema, filling, depth);
    }
    filling.taken.length = start;
  }
}

type Mode = 'mentioned' | 'required' | 'all';

function fillProperties(schema: Schema, slot: Slot, filling: Filling, depth: number, mode: Mode): Filled | undefined {
  const names = namesOf(schema);
  const required = new Set(stringsOf(schema['required']));
  const most = numberOf(schema['maxProperties']) ?? Infinity;
  const texts = names.filter((name) => takesText(partOf(name, schema), filling)).length;
  const values = new Map<string, Filled>();
  const fill = (name: string, isRequired: boolean): boolean => {
    const part = partOf(name, schema);
    const inner = slotOf(name, objectOf(flatten(part, filling.root, filling.visits)?.base), {
      required: isRequired,
      alone: texts === 1,
    });
    const known = depth === 0 && Object.hasOwn(filling.known, name) ? filling.known[name] : undefined;
    const filled = orDefault(fillSlot(part, inner, filling, depth + 1), part, known, filling);
    if (filled !== undefined && (isRequired || filled.evidence >= 2 || filled.isDefault === true))
      values.set(name, filled);
    return filled !== undefined || !isRequired;
  };

  const wanted = names
    .filter((name) => required.has(name) || mode !== 'required')
    .toSorted((a, b) => rankOf(a, schema, required, filling) - rankOf(b, schema, required, filling));
  for (const name of wanted) {
    const isRequired = required.has(name) || mode === 'all';
    const start = filling.taken.length;
    if (!fill(name, isRequired) && required.has(name)) return undefined;
    if (!values.has(name)) filling.taken.length = start;
  }
  for (const name of missing(schema, values)) if (!values.has(name) && !fill(name, true)) return undefined;
  addOthers(schema, slot, values, filling, depth);
  for (const name of [...values.keys()].toReversed()) {
    if (values.size > most && !required.has(name)) values.delete(name);
  }
  const order = [
    ...names.filter((name) => values.has(name)),
    ...[...values.keys()].filter((name) => !names.includes(name)),
  ];
  return {
    value: Object.fromEntries(order.map((name) => [name, values.get(name)?.value])),
    evidence: [...values.values()].reduce((sum, { evidence }) => sum + evidence, 0),
    spans: [],
  };
}

/** The earlier value or the schema's default, if the message provides none. */
function orDefault(
  filled: Filled | undefined,
  part: unknown,
  known: unknown,
  { root, visits }: Filling,
): Filled | undefined {
  if (filled !== undefined && filled.evidence > 0) return filled;
  const value = [known, flatten(part, root, visits)?.base['default']].find(
    (stand) => stand !== undefined && fitsSchema(stand, part, root, visits),
  );
  return value === undefined ? filled : { ...madeUp(value), isDefault: true };
}

/** The properties in the order of the schema. A required property may have a schema by pattern or none. */
function namesOf(schema: Schema): readonly string[] {
  return [...new Set([...Object.keys(objectOf(schema['properties'])), ...stringsOf(schema['required'])])];
}

function partOf(name: string, schema: Schema): unknown {
  const parts = propertySchemas(name, schema);
  return parts.length === 1 ? parts[0] : { allOf: parts };
}

/** Properties that other properties require, directly or indirectly. */
function missing(schema: Schema, values: ReadonlyMap<string, Filled>): readonly string[] {
  const found = new Set(values.keys());
  for (const name of found) {
    const needed = Object.hasOwn(dependenciesOf(schema), name) ? dependenciesOf(schema)[name] : [];
    for (const other of isObject(needed) ? stringsOf(needed['required']) : stringsOf(needed)) found.add(other);
  }
  return [...found].filter((name) => !values.has(name));
}

/** Pairs in the message (`volume=3`) as additional properties if the schema allows them, and generated ones up to `minProperties`. */
function addOthers(schema: Schema, slot: Slot, values: Map<string, Filled>, filling: Filling, depth: number): void {
  const isMap = Object.keys(objectOf(schema['properties'])).length === 0 && isObject(schema['additionalProperties']);
  const pairs = isMap
    ? [...filling.reading.text.matchAll(/([\p{L}_][\p{L}\d_-]{0,40})\s*[=:]\s*(?=\S)/gu)].map((match) => match[1] ?? '')
    : [];
  const least = numberOf(schema['minProperties']) ?? 0;
  const candidates = [
    ...pairs.map((name) => ({ name, isPair: true })),
    ...extraNames(schema, filling).map((name) => ({ name, isPair: false })),
  ];
  for (const { name, isPair } of candidates) {
    if (values.has(name) || (!isPair && values.size >= least)) continue;
    if (
      schema['propertyNames'] !== undefined &&
      !fitsSchema(name, schema['propertyNames'], filling.root, filling.visits)
    )
      continue;
    const part = partOf(name, schema);
    const inner = slotOf(name, objectOf(part), { required: true });
    if (isPair && explicitValue(inner, filling) === undefined) continue;
    const filled = fillSlot(part, inner, filling, depth + 1);
    if (filled !== undefined && (!isPair || filled.evidence > 0 || slot.required)) values.set(name, filled);
  }
}

function extraNames(schema: Schema, filling: Filling): readonly string[] {
  const least = numberOf(schema['minProperties']) ?? 0;
  if (least === 0) return [];
  const optional = Object.keys(objectOf(schema['properties']));
  if (schema['additionalProperties'] === false && schema['patternProperties'] === undefined) return optional;
  const patterns = [
    ...Object.keys(objectOf(schema['patternProperties'])).map((pattern) => ({ type: 'string', pattern })),
    { type: 'string', ...objectOf(schema['propertyNames']) },
  ];
  const made: string[] = [];
  for (const pattern of patterns) {
    const base = flatten(pattern, filling.root, filling.visits)?.base ?? pattern;
    for (const { value } of candidatesFor(base, slotOf('', {}, { required: true }), { ...filling, taken: [] }, 1)) {
      if (typeof value === 'string') made.push(value.length > 40 ? value.slice(0, 40) : value);
      if (made.length > least + 80) break;
    }
  }
  return [...optional, ...made, ...Array.from({ length: Math.min(least + 1, 200) }, (_, index) => `extra${index + 1}`)];
}

/** The same object with one other value, for lists whose items must be distinct. */
function* variationsOf(filled: Filled, schema: Schema, filling: Filling, depth: number): Generator<Filled> {
  const value = objectOf(filled.value);
  for (const name of Object.keys(value)) {
    const part = partOf(name, schema);
    const seen = filling.taken.splice(0);
    let count = 0;
    for (const other of candidatesFor(part, slotOf(name, {}, { required: true }), filling, depth + 1)) {
      yield { value: { ...value, [name]: other.value }, evidence: 0, spans: [] };
      if ((count += 1) > 20) break;
    }
    filling.taken.splice(0, filling.taken.length, ...seen);
  }
}

/** Properties with specific formats are filled first; free text uses the remaining words. */
function rankOf(name: string, schema: Schema, required: ReadonlySet<string>, filling: Filling): number {
  const flat = flatten(partOf(name, schema), filling.root, filling.visits);
  const base = flat?.base ?? {};
  const slot = slotOf(name, base, { required: true });
  return (
    kindRank(base, slot, flat?.choices ?? [], filling) * 2 +
    (required.has(name) ? 0 : 1) +
    (explicitValue(slot, filling) === undefined ? 0 : -100)
  );
}

function kindRank(base: Schema, slot: Slot, choices: readonly (readonly unknown[])[], filling: Filling): number {
  const hasText = choices
    .flat()
    .some((choice) => flatten(choice, filling.root, filling.visits)?.base['type'] === 'string');
  if (base['enum'] !== undefined || Object.hasOwn(base, 'const')) return 0;
  if (base['type'] === 'boolean') return 1;
  if (base['type'] === 'number' || base['type'] === 'integer') return 3;
  if (base['type'] === 'array') return slot.category === 'text' ? 7 : 5;
  if (base['type'] === 'object' || (choices.length > 0 && !hasText)) return 4;
  if (
    base['format'] !== undefined ||
    ['email', 'url', 'phone', 'id', 'date', 'time', 'language', 'currency', 'expression'].includes(slot.category ?? '')
  )
    return 2;
  if (slot.category === 'text') return 8;
  return slot.direction !== undefined || slot.category === 'unit' ? 5 : slot.category === undefined ? 7 : 6;
}

function takesText(part: unknown, filling: Filling): boolean {
  const flat = flatten(part, filling.root, filling.visits);
  const types = [flat?.base['type'], ...(flat?.choices.flat().map((choice) => objectOf(choice)['type']) ?? [])];
  return (
    types.includes('string') &&
    flat?.base['enum'] === undefined &&
    flat?.base['format'] === undefined &&
    !Object.hasOwn(flat?.base ?? {}, 'const')
  );
}
