import type { JsonValue } from '@halyard/contracts';

/** The type of a value once it was written as JSON: a Date is a string then, and `undefined` alone is null. What JSON cannot carry is `never`. */
export type Jsonify<T> = unknown extends T
  ? T
  : // What is JSON already stays the same type: a chain of many steps is not compared with copies of itself.
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

/** A field may be absent, so that `undefined` stays what it is. */
type JsonifyField<T> = T extends undefined ? T : Jsonify<T>;
