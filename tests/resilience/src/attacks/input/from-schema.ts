import * as fc from 'fast-check';
import type { JsonSchema } from './api-document.ts';
import { hostileTexts, hostileValues } from './hostile-values.ts';

export interface SchemaContext {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Values that exist in the server, by the name of the field. */
  readonly known: (name: string) => readonly string[];
  /** The share of values that do not match their schema: 0 for none, else one in so many. */
  readonly hostility: number;
}

const maxDepth = 7;

/**
 * Values that match a schema of JSON Schema 2020-12, except for the hostile ones. @param name of
 * the field.
 */
export function valuesOf(schema: JsonSchema, context: SchemaContext, name = '', depth = 0): fc.Arbitrary<unknown> {
  const valid = matching(schema, context, name, depth);
  const { hostility } = context;
  if (hostility === 0) return valid;
  return fc.oneof({ weight: hostility, arbitrary: valid }, { weight: 1, arbitrary: hostileValues });
}

function matching(schema: JsonSchema, context: SchemaContext, name: string, depth: number): fc.Arbitrary<unknown> {
  if (depth > maxDepth) return fc.constantFrom('x', {}, []);
  const inner = (part: JsonSchema, of = name): fc.Arbitrary<unknown> => valuesOf(part, context, of, depth + 1);
  const { $ref: reference, const: constant, enum: values } = schema;
  if (typeof reference === 'string') return inner(context.schemas[reference.split('/').at(-1) ?? ''] ?? {});
  if ('const' in schema) return fc.constant(constant);
  if (Array.isArray(values)) return fc.constantFrom(...(values as readonly unknown[]));
  const union = listOf(schema['anyOf'] ?? schema['oneOf']);
  if (union.length > 0) return fc.oneof(...union.map((part) => inner(part)));

  const all = listOf(schema['allOf']);
  const variants = all.filter((part) => 'if' in part);
  if (variants.length > 0)
    return fc.oneof(...variants.map((variant) => inner(merged([without(schema, 'allOf'), ...chosen(variant)]))));
  if (all.length > 0) return inner(merged([without(schema, 'allOf'), ...all]));

  const types = [schema['type'] ?? (schema['properties'] === undefined ? 'any' : 'object')].flat() as string[];
  return fc.oneof(...types.map((type) => ofType(type, schema, context, name, depth)));
}

function ofType(
  type: string,
  schema: JsonSchema,
  context: SchemaContext,
  name: string,
  depth: number,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return textsOf(schema, context.known(name));
    case 'integer':
      return fc.integer(boundsOf(schema, 1_000));
    case 'number':
      return fc.double({ ...boundsOf(schema, 1e6), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const { items, maxItems, minItems } = schema;
      const minLength = numberOr(minItems, 0);
      const maxLength = Math.max(minLength, Math.min(numberOr(maxItems, 3), 3));
      return fc.array(valuesOf(isSchema(items) ? items : {}, context, name, depth + 1), { minLength, maxLength });
    }
    case 'object':
      return objectsOf(schema, context, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectsOf(schema: JsonSchema, context: SchemaContext, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {});
  const required = (schema['required'] ?? []) as readonly string[];
  const model = properties.map(([name, property]): [string, fc.Arbitrary<unknown>] => {
    const values = valuesOf(isSchema(property) ? property : {}, context, name, depth + 1);
    const isRequired = required.includes(name);
    // Few optional fields at a time, so that one that is refused does not hide the others.
    return [name, isRequired ? values : fc.option(values, { nil: undefined, freq: depth === 0 ? 2 : 1 })];
  });
  const { additionalProperties: more } = schema;
  const listed = fc.record(Object.fromEntries(model));
  if (more === false) return listed;
  const others = isSchema(more) ? valuesOf(more, context, '', depth + 1) : fc.jsonValue({ maxDepth: 1 });
  const named = fc.dictionary(fc.oneof(fc.string({ maxLength: 8 }), hostileTexts), others, { maxKeys: 2 });
  return fc.oneof(
    { weight: 4, arbitrary: listed },
    {
      weight: 1,
      arbitrary: fc.tuple(named, listed).map(([extra, values]): unknown => ({ ...extra, ...values })),
    },
  );
}

function textsOf(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<string> {
  const fresh = freshTexts(schema);
  return known.length === 0
    ? fresh
    : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: fresh });
}

function freshTexts({ format, maxLength, minLength, pattern }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (typeof pattern === 'string') return textsMatching(pattern);
  const least = numberOr(minLength, 0);
  return fc.string({ unit: 'grapheme', minLength: least, maxLength: Math.min(numberOr(maxLength, 40), least + 40) });
}

/** fast-check generates no text for a lookahead, so the texts that one excludes are left out. */
function textsMatching(pattern: string): fc.Arbitrary<string> {
  const whole = new RegExp(pattern, 'u');
  const generated = new RegExp(pattern.replaceAll(/\(\?![^()]*\)/gu, ''), 'u');
  return fc.stringMatching(generated).filter((text) => whole.test(text));
}

function boundsOf(schema: JsonSchema, size: number): { min: number; max: number } {
  const min = numberOr(schema['minimum'] ?? schema['exclusiveMinimum'], -size);
  return {
    min,
    max: Math.max(min, numberOr(schema['maximum'] ?? schema['exclusiveMaximum'], Math.max(min, 0) + size)),
  };
}

/** The schemas that hold where the condition of a variant holds. */
function chosen(variant: JsonSchema): readonly JsonSchema[] {
  return [variant['if'], variant['then']].filter((part) => isSchema(part));
}

/**
 * One schema of objects, with the fields of all. A later schema of a field adds to an earlier one.
 */
function merged(parts: readonly JsonSchema[]): JsonSchema {
  let whole: Record<string, unknown> = {};
  const properties: Record<string, JsonSchema> = {};
  for (const part of parts) {
    const fields = isSchema(part['properties']) ? part['properties'] : {};
    for (const [name, field] of Object.entries(fields)) {
      const { [name]: earlier = {} } = properties;
      properties[name] = isSchema(field) ? { ...without(earlier, 'enum', 'pattern'), ...field } : earlier;
    }
    const required = [...((whole['required'] ?? []) as string[]), ...((part['required'] ?? []) as string[])];
    whole = { ...whole, ...part, required: [...new Set(required)] };
  }
  return { ...whole, ...(Object.keys(properties).length > 0 && { type: 'object', properties }) };
}

function without(schema: JsonSchema, ...names: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
}

function listOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter((part) => isSchema(part)) : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
