import type { JsonValue } from '@halyard/contracts';

/**
 * The type of a value after JSON serialization: a Date becomes a string, and a value that is
 * `undefined` becomes null. A value that JSON cannot represent is `never`.
 */
export type Jsonify<T> = unknown extends T
  ? T
  : // A type that is JSON stays the same type, which keeps the types of a chain of many steps cheap to compare.
    T extends JsonValue
    ? T
    : T extends undefined
      ? null
      : // A function that returns nothing has the type void.
        [T] extends [void]
        ? null
        : T extends { toJSON: (...arguments_: never[]) => infer Json }
          ? Jsonify<Json>
          : T extends NotJson
            ? never
            : T extends readonly unknown[]
              ? { [Index in keyof T]: Jsonify<T[Index]> }
              : { [Key in keyof T as T[Key] extends NotJson ? never : Key]: JsonifyField<T[Key]> };

type NotJson =
  | bigint
  | symbol
  | ((...arguments_: never[]) => unknown)
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>;

/** A field can be absent, so `undefined` stays undefined. */
type JsonifyField<T> = T extends undefined ? T : Jsonify<T>;
