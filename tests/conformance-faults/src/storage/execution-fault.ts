import { InMemoryExecutionStore } from '@halyard/memory-in-memory';

/**
 * A fault of a store, the case that must find it, and the methods with the fault. `real` has the
 * methods without it.
 */
export type ExecutionFault = readonly [fault: string, foundBy: string, fault: MethodFaults];
export type MethodFaults = (real: InMemoryExecutionStore) => Partial<InMemoryExecutionStore>;

/** A store whose methods are replaced, also where it calls them itself. */
export function storeWith(fault: MethodFaults, options: { readonly now: () => number }): InMemoryExecutionStore {
  const store = new InMemoryExecutionStore(options);
  const real = new Proxy(store, {
    get(target, key) {
      const method: unknown = Reflect.get(InMemoryExecutionStore.prototype, key, target);
      return typeof method === 'function'
        ? (...given: unknown[]): unknown => Reflect.apply(method, target, given)
        : method;
    },
  });
  return Object.assign(store, fault(real));
}
