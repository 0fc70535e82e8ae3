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
