import { freeNumbers } from './fill-number.ts';
import { mentionedOptions } from './fill-option.ts';
import { fillSlot, candidatesFor, isTerse } from './fill-schema.ts';
import { rankedSpans } from './fill-string.ts';
import { explicitValue, isFree, madeUp, type Filled, type Filling, type Range } from './filling.ts';
import { fitsSchema, itemSchemas } from './fits-schema.ts';
import { flatten } from './flatten-schema.ts';
import { remainder } from './free-text.ts';
import { isObject, isSame, listOf, numberOf, objectOf, type Schema } from './json.ts';
import { readMessage } from './read-message.ts';
import { slotOf, type Slot } from './slot.ts';

/** Lists for the slot: enumerations in the message (`Ada, Bob and Eve`; `2 apples and 3 pears`), extended or cut to a valid length. */
export function* arraysFor(schema: Schema, slot: Slot, filling: Filling, depth: number): Generator<Filled> {
  const { prefix, rest } = itemSchemas(schema);
  const most = Math.min(numberOf(schema['maxItems']) ?? Infinity, rest === false ? prefix.length : Infinity);
  const itemSlot: Slot = { ...slotOf(singular(slot.key), {}, { required: true }), hints: slot.hints };
  const fixed = prefix.slice(0, Math.max(0, most)).map((part) => fillSlot(part, itemSlot, filling, depth + 1));
  if (!fixed.every((filled) => filled !== undefined)) return;

  const enumerated =
    prefix.length > 0 || isTerse(filling, depth) ? [] : enumeratedItems(rest, slot, itemSlot, filling, depth);
  for (const items of enumerated.length === 0 ? [[]] : [enumerated, []]) {
    const start = filling.taken.length;
    const list: Filled[] = [...fixed];
    for (const item of items) {
      if (list.length < most && fits(item, list, rest, schema, filling)) list.push(item);
    }
    filling.taken.push(...list.slice(fixed.length).flatMap(({ spans }) => spans));
    const filled = complete(list, rest, schema, itemSlot, filling, depth);
    if (filled !== undefined && (slot.required || filled.evidence > 0)) yield filled;
    filling.taken.length = start;
  }
  if (listOf(schema['default']).length > 0 && slot.required) yield madeUp(schema['default']);
  // Additional items, for lists of lists that must be distinct.
  for (let extra = 1; extra <= 20 && slot.required; extra += 1) {
    const filled = complete(
      [...fixed],
      rest,
      { ...schema, minItems: (numberOf(schema['minItems']) ?? 0) + extra },
      itemSlot,
      filling,
      depth,
    );
    if (filled === undefined) return;
    yield filled;
  }
}

/** Extends the list as `contains` and `minItems` require; undefined if that is impossible. */
function complete(
  given: readonly Filled[],
  rest: unknown,
  schema: Schema,
  slot: Slot,
  filling: Filling,
  depth: number,
): Filled | undefined {
  const list = [...given];
  const least = numberOf(schema['minItems']) ?? 0;
  const contains = schema['contains'];
  const contained = (): number =>
    list.filter(({ value }) => fitsSchema(value, contains, filling.root, filling.visits)).length;
  if (
    contains !== undefined &&
    !addUntil(
      list,
      { allOf: [rest, contains] },
      () => contained() >= (numberOf(schema['minContains']) ?? 1),
      schema,
      slot,
      filling,
      depth,
    )
  )
    return undefined;
  const filler =
    contains !== undefined && contained() >= (numberOf(schema['maxContains']) ?? Infinity)
      ? { allOf: [rest, { not: contains }] }
      : rest;
  if (!addUntil(list, filler, () => list.length >= least, schema, slot, filling, depth)) return undefined;
  return {
    value: list.map(({ value }) => value),
    evidence: list.reduce((sum, { evidence }) => sum + evidence, 0),
    spans: [],
  };
}

function addUntil(
  list: Filled[],
  part: unknown,
  isDone: () => boolean,
  schema: Schema,
  slot: Slot,
  filling: Filling,
  depth: number,
): boolean {
  if (isDone()) return true;
  let last: Filled | undefined;
  for (const filled of candidatesFor(part, slot, filling, depth + 1)) {
    if (fits(filled, list, part, schema, filling)) list.push((last = filled));
    // If duplicates are allowed, the first item is repeated.
    while (!isDone() && last !== undefined && schema['uniqueItems'] !== true && list.length < 10_000) list.push(last);
    if (isDone()) return true;
  }
  return isDone();
}

function fits(item: Filled, list: readonly Filled[], part: unknown, schema: Schema, filling: Filling): boolean {
  return (
    fitsSchema(item.value, part, filling.root, filling.visits) &&
    (schema['uniqueItems'] !== true || !list.some(({ value }) => isSame(value, item.value)))
  );
}

function enumeratedItems(
  part: unknown,
  slot: Slot,
  itemSlot: Slot,
  filling: Filling,
  depth: number,
): readonly Filled[] {
  const flat = flatten(part, filling.root, filling.visits);
  const base = flat?.base ?? {};
  if (Array.isArray(base['enum'])) {
    return mentionedOptions(base['enum'], slot, filling)
      .filter(({ spans }) => !isDenied(spans, filling))
      .toSorted((a, b) => (a.spans[0]?.start ?? 0) - (b.spans[0]?.start ?? 0));
  }
  if (base['type'] === 'object' || isObject(base['properties'])) return enumeratedObjects(part, slot, filling, depth);
  if (base['type'] === 'number' || base['type'] === 'integer') {
    const numbers = freeNumbers(filling);
    return numbers.map((span): Filled => ({
      value: base['type'] === 'integer' ? Math.round(span.number ?? 0) : span.number,
      evidence: 2,
      spans: [span],
    }));
  }
  return base['type'] === 'string' ? enumeratedTexts(slot, itemSlot, base, filling) : [];
}

/** `no onions` means an empty list. */
function isDenied([range]: readonly Range[], { reading }: Filling): boolean {
  const before = range === undefined ? '' : reading.text.slice(Math.max(0, range.start - 15), range.start);
  return /\b(?:no|not|without|except|hold the)\s+$/iu.test(before);
}

function enumeratedTexts(slot: Slot, itemSlot: Slot, base: Schema, filling: Filling): readonly Filled[] {
  const stated = explicitValue(slot, filling);
  if (stated !== undefined)
    return parts(listAfter(stated.spans, filling) ?? stated.text).map((value) => ({
      value,
      evidence: 4,
      spans: stated.spans,
    }));
  if (base['format'] !== undefined) {
    const found = new Map<unknown, Filled>();
    for (const filled of candidatesFor(base, { ...itemSlot, required: false }, filling, 1))
      found.set(filled.value, filled);
    return [...found.values()];
  }
  const [best] = rankedSpans(itemSlot, filling, 3);
  if (best !== undefined) {
    const kin = filling.reading.spans.filter(
      (span) =>
        isFree(span, filling) &&
        (span === best.span ||
          (span.group !== undefined && span.group === best.span.group) ||
          (span.kind === best.span.kind && ['email', 'id', 'url', 'quoted'].includes(span.kind))),
    );
    return kin.map((span) => ({ value: span.text, evidence: 2, spans: [span] }));
  }
  const rest = remainder(filling).replace(/^[^:]{0,60}:\s+/u, '');
  const listed = parts(rest);
  // An enumeration is used if it has several items, or if the slot is required.
  if (rest === '' || (!slot.required && listed.length < 2)) return [];
  return listed.map((value) => ({ value, evidence: slot.category === 'text' || listed.length > 1 ? 2 : 1, spans: [] }));
}

/** The whole of `tags: a, b and c`; for a single value the comma would end it. */
function listAfter([range]: readonly Range[], { reading }: Filling): string | undefined {
  const found =
    range === undefined ? null : /^[^:=]{1,40}[:=]\s*([^;.!?\n]{1,500})/u.exec(reading.text.slice(range.start));
  return found?.[1]?.split(/,?\s+[\p{L}_]{1,30}[:=]/u)[0];
}

/** One object for each part of the message between commas and `and`s that provides a value. */
function enumeratedObjects(part: unknown, slot: Slot, filling: Filling, depth: number): readonly Filled[] {
  const { text, today } = filling.reading;
  if (!slot.required && freeNumbers(filling).length === 0) return [];
  const found: Filled[] = [];
  for (const match of text.matchAll(/[^,;\n]+?(?=,|;|\n|\s+and\s|\s*$)(?:\s+and\s+)?/gu)) {
    const piece = match[0].replace(/\s+and\s+$/u, '');
    const range = { start: match.index, end: match.index + piece.length };
    if (piece.trim() === '' || found.length >= 20) continue;
    const inner: Filling = { ...filling, reading: readMessage(piece, today), taken: [] };
    const filled = fillSlot(part, slotOf(singular(slot.key), objectOf(part), { required: true }), inner, depth + 1);
    filling.steps = inner.steps;
    filling.checks = inner.checks;
    if (filled !== undefined && filled.evidence >= 2) found.push({ ...filled, spans: [range] });
  }
  return found;
}

function parts(text: string): readonly string[] {
  return text
    .split(/\s*(?:,|;|\n|\s(?:and|&)\s)\s*(?:and\s+)?/u)
    .map((part) =>
      part
        .replace(/^(?:the|a|an|some)\s+/iu, '')
        .replace(/[.!?]$/u, '')
        .trim(),
    )
    .filter((part) => part !== '')
    .slice(0, 100);
}

function singular(key: string): string {
  return key.endsWith('ies')
    ? `${key.slice(0, -3)}y`
    : key.endsWith('s') && !key.endsWith('ss')
      ? key.slice(0, -1)
      : key;
}
