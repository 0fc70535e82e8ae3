import type { ExecutionStore } from '@halyard/contracts';

/**
 * A store that lists the names of the methods that are called. Watching is not a call: it reads
 * nothing by itself.
 */
export function countingStore(store: ExecutionStore): { readonly store: ExecutionStore; readonly calls: string[] } {
  const calls: string[] = [];
  const counting = new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...parameters: readonly unknown[]): unknown => {
        if (name !== 'watch') calls.push(String(name));
        return Reflect.apply(method, target, parameters);
      };
    },
  });
  return { store: counting, calls };
}
