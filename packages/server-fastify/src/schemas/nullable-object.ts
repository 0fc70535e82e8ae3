import { type ObjectOptions, type Static, type TObject, type TProperties, type TUnsafe, Type } from '@sinclair/typebox';

/** An object field of a request: `null` counts as absent. One `type` for both, so that a complaint names them both. */
export function nullableObject<Properties extends TProperties>(
  properties: Properties,
  options: ObjectOptions = {},
): TUnsafe<Static<TObject<Properties>> | null> {
  return Type.Unsafe<Static<TObject<Properties>> | null>({
    ...Type.Object(properties, options),
    type: ['object', 'null'],
  });
}
