import { type SchemaOptions, type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import { when } from './when.ts';

/**
 * A union of objects told apart by one property, each variant under the values of that property that mean it.
 *
 * Unlike `anyOf` it tries the variant that is meant and no other, so that what is wrong with a value is one thing: the tag
 * (`input/0/role must be equal to one of the allowed values: …`), or a field of that variant.
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

/** {@link taggedUnion} where some variants are meant by the start of the tag: `tool-` means `tool-getWeather`. */
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
  // A tag that is missing or no string is the union's own complaint.
  return when({ required: [tag], properties: { [tag]: { type: 'string', ...value } } }, variant);
}
