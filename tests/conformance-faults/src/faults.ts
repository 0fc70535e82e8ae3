/** The methods that replace those of a store, and have a fault. `store` is the one without it. */
export type Fault<Store> = (store: Store) => Partial<Store>;

/** For each case of a suite, one or several faults that it must find. */
export type FaultTable<AFault> = Readonly<Record<string, AFault | readonly AFault[]>>;

type NameOf<Store> = { [Name in keyof Store]: MethodOf<Store, Name> extends never ? never : Name }[keyof Store] &
  string;
type MethodOf<Store, Name extends keyof Store> = Extract<Store[Name], (...given: never[]) => unknown>;
type ArgumentsOf<Store, Name extends keyof Store> = Parameters<MethodOf<Store, Name>>;
type ResultOf<Store, Name extends keyof Store> = Awaited<ReturnType<MethodOf<Store, Name>>>;

export interface Wrappers<Store> {
  /** Passes other arguments to a method. */
  passing<Name extends NameOf<Store>>(
    name: Name,
    change: (...given: ArgumentsOf<Store, Name>) => readonly unknown[] & Readonly<ArgumentsOf<Store, Name>>,
  ): Fault<Store>;
  /** Leaves an option out of the last argument of a method. */
  dropping(name: NameOf<Store>, option: string): Fault<Store>;
  /** Sets options in the last argument of a method. */
  setting(name: NameOf<Store>, options: object): Fault<Store>;
  /** Returns another result of a method. An absent one stays absent. */
  returning<Name extends NameOf<Store>>(
    name: Name,
    change: (
      result: NonNullable<ResultOf<Store, Name>>,
      ...given: ArgumentsOf<Store, Name>
    ) => ResultOf<Store, Name> | Promise<ResultOf<Store, Name>>,
  ): Fault<Store>;
  /** For each of the methods, a fault: it does everything for anyone, whoever the owner is. */
  ownerless(...names: readonly NameOf<Store>[]): readonly Fault<Store>[];
}

/** Faults that wrap one method. */
export function wrappersOf<Store extends object>(): Wrappers<Store> {
  const wrapping =
    (name: string, wrap: (method: (...given: unknown[]) => unknown, given: unknown[]) => unknown): Fault<Store> =>
    (store) => {
      const method = (...given: unknown[]): unknown => Reflect.apply(Object(Reflect.get(store, name)), store, given);
      return { [name]: (...given: unknown[]) => wrap(method, given) } as Partial<Store>;
    };
  return {
    passing: (name, change) => wrapping(name, (method, given) => method(...Reflect.apply(change, undefined, given))),
    dropping: (name, option) =>
      wrapping(name, (method, given) => {
        const { [option]: _, ...others } = Object(given.at(-1));
        return method(...given.slice(0, -1), others);
      }),
    setting: (name, options) =>
      wrapping(name, (method, given) => method(...given.slice(0, -1), { ...Object(given.at(-1)), ...options })),
    returning: (name, change) =>
      wrapping(name, async (method, given) => {
        const result = await method(...given);
        return result === undefined ? undefined : Reflect.apply(change, undefined, [result, ...given]);
      }),
    ownerless: (...names) => names.map((name) => wrapping(name, (method, [, ...given]) => method('anyone', ...given))),
  };
}

/** A store whose methods are replaced by those of `fault`. */
export function faulty<Store extends object>(store: Store, fault: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(key in fault ? fault : target, key);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => Reflect.apply(value, target, given);
    },
  });
}

/** Separates reading and writing in a call, so that concurrent calls can interleave. */
export async function pause(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
}
