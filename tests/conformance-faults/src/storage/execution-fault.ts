import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { type Fault, wrappersOf } from '../faults.ts';

export type ExecutionFault = Fault<InMemoryExecutionStore>;

export const { dropping, ownerless, passing, returning, setting } = wrappersOf<InMemoryExecutionStore>();

/** A store whose methods are replaced, also where it calls them itself. */
export function storeWith(fault: ExecutionFault, options: { readonly now: () => number }): InMemoryExecutionStore {
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
