import { type SchemaOptions, type TUnsafe, Type } from '@sinclair/typebox';

type Values = Record<string, unknown>;

/** An object with fields of the sender's choice. */
export function anyObject(options: SchemaOptions = {}): TUnsafe<Values> {
  return Type.Unsafe<Values>({ type: 'object', additionalProperties: true, ...options });
}

/** {@link anyObject}, for which `null` counts as absent. */
export function anyNullableObject(options: SchemaOptions = {}): TUnsafe<Values | null> {
  return Type.Unsafe<Values | null>({ type: ['object', 'null'], additionalProperties: true, ...options });
}

/** An object whose values are objects: what is meant for one provider, under the provider's name. */
export function objectOfObjects(options: SchemaOptions = {}): TUnsafe<Record<string, Values> | null> {
  return Type.Unsafe<Record<string, Values> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: 'object', additionalProperties: true },
    ...options,
  });
}
