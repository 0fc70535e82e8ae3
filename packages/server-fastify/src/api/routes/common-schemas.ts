import { InvalidInputError, maxExternalIdLength } from '@halyard/contracts';
import type { AccessLevel } from '@halyard/core';
import {
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from '@sinclair/typebox';

/**
 * An id of an agent, a workflow, a conversation and the like, in paths and bodies. It does not
 * consist of dots only: clients and proxies resolve `.` and `..` in a path, so the request would
 * reach another route.
 */
export const Id = Type.String({ pattern: '^(?![.]+$)[A-Za-z0-9_.:-]{1,128}$' });
export type Id = Static<typeof Id>;

/**
 * An id of a user or a resource, which an identity provider or the app has chosen:
 * {@link isExternalId}, percent-encoded in paths. `maxLength` counts Unicode code points. Every
 * tool understands the pattern; it lacks what only JSON can carry, half of a surrogate pair, which
 * `acceptSentUser` refuses.
 */
export const ExternalId = Type.String({
  pattern: String.raw`^(?!\.{1,2}$)[^\x00-\x1f\x7f-\x9f]+$`,
  maxLength: maxExternalIdLength,
});

/** {@link ExternalId} with a description. */
export function externalId(description: string): typeof ExternalId {
  return { ...ExternalId, description };
}

export const IdParams = Type.Object({ id: Id });
export type IdParams = Static<typeof IdParams>;

/** The option `access` of an agent, a tool or a workflow. Absent: for users. */
export const RestrictedAccess = Type.Optional(
  Type.Unsafe<'operators' | 'server'>({
    type: 'string',
    enum: ['operators', 'server'],
    description: '`operators`: only the console key may run it. `server`: no request may. Absent: users may.',
  }),
);

/** The field of {@link RestrictedAccess}. */
export function restrictedAccess({ access }: { readonly access: AccessLevel }): {
  readonly access?: 'operators' | 'server';
} {
  return access === 'users' ? {} : { access };
}

type Values = Record<string, unknown>;

/** An object with any fields. */
export function anyObject(options: SchemaOptions = {}): TUnsafe<Values> {
  return Type.Unsafe<Values>({ type: 'object', additionalProperties: true, ...options });
}

/** {@link anyObject} or null, which counts as absent. */
export function anyNullableObject(options: SchemaOptions = {}): TUnsafe<Values | null> {
  return Type.Unsafe<Values | null>({ type: ['object', 'null'], additionalProperties: true, ...options });
}

/** An object of objects: data for providers, by the name of the provider. */
export function objectOfObjects(options: SchemaOptions = {}): TUnsafe<Record<string, Values> | null> {
  return Type.Unsafe<Record<string, Values> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: 'object', additionalProperties: true },
    ...options,
  });
}

/**
 * An optional object in a request: null counts as absent. It has one `type` for both, so that an
 * error names both.
 */
export function nullableObject<Properties extends TProperties>(
  properties: Properties,
  options: ObjectOptions = {},
): TUnsafe<Static<TObject<Properties>> | null> {
  return Type.Unsafe<Static<TObject<Properties>> | null>({
    ...Type.Object(properties, options),
    type: ['object', 'null'],
  });
}

/**
 * A union of objects that are distinguished by one property. `variants` has a schema for each value
 * of that property.
 *
 * Unlike `anyOf`, validation tries only the variant of the tag, so that a value has one error: in
 * the tag (`input/0/role must be equal to one of the allowed values: …`) or in a field of that
 * variant.
 */
export function taggedUnion<Variants extends Readonly<Record<string, TSchema>>>(
  tag: string,
  variants: Variants,
  options: SchemaOptions = {},
): TUnsafe<Static<Variants[keyof Variants]>> {
  return Type.Unsafe<Static<Variants[keyof Variants]>>({
    type: 'object',
    required: [tag],
    properties: { [tag]: { enum: Object.keys(variants) } },
    allOf: Object.entries(variants).map(([value, variant]) => whenTag(tag, { const: value }, variant)),
    ...options,
  });
}

/**
 * {@link taggedUnion} with further variants for tags with a prefix: `tool-` matches
 * `tool-getWeather`.
 */
export function prefixedUnion<
  Variants extends Readonly<Record<string, TSchema>>,
  Prefixed extends Readonly<Record<string, TSchema>>,
>(
  tag: string,
  variants: Variants,
  prefixed: Prefixed,
  options: SchemaOptions = {},
): TUnsafe<Static<Variants[keyof Variants]> | Static<Prefixed[keyof Prefixed]>> {
  const values = [...Object.keys(variants), ...Object.keys(prefixed).map((prefix) => `${prefix}.+`)];
  return Type.Unsafe<Static<Variants[keyof Variants]> | Static<Prefixed[keyof Prefixed]>>({
    type: 'object',
    required: [tag],
    properties: { [tag]: { type: 'string', pattern: `^(${values.join('|')})$` } },
    allOf: [
      ...Object.entries(variants).map(([value, variant]) => whenTag(tag, { const: value }, variant)),
      ...Object.entries(prefixed).map(([prefix, variant]) => whenTag(tag, { pattern: `^${prefix}` }, variant)),
    ],
    ...options,
  });
}

function whenTag(tag: string, value: object, variant: TSchema): object {
  // The union itself reports a tag that is missing or not a string.
  return when({ required: [tag], properties: { [tag]: { type: 'string', ...value } } }, variant);
}

/**
 * JSON Schema's conditional: a value that fits `condition` must fit `holds`, any other must fit
 * `otherwise`.
 */
export function when(condition: object, holds: object, otherwise: object = {}): object {
  // eslint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: condition, then: holds, else: otherwise };
}

const isoTimestamp = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Parses an ISO 8601 timestamp to milliseconds since the epoch. Without an offset it is UTC.
 *
 * @throws InvalidInputError that names `field`.
 */
export function toTime(field: string, text: string): number {
  const [, day = '', time = 'T00:00', offset = 'Z'] = isoTimestamp.exec(text) ?? [];
  const at = Date.parse(`${day}${time}${offset}`);
  if (Number.isNaN(at) || !isDay(day)) {
    const hint = field.startsWith('query/') && lostPlus.test(text) ? ': write the + of its offset as %2B' : '';
    throw new InvalidInputError(`${field} must be an ISO 8601 timestamp${hint}`);
  }
  return at;
}

/** In a query, a `+` stands for a space. */
const lostPlus = /T[\d:.]+ \d\d:\d\d$/;

/** Excludes dates such as the 31st of February, which `Date` reads as a day in March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}
