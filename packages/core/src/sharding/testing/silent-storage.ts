import type { Storage } from '@halyard/contracts';

/** A storage whose calls for executions get no answer while it is silent, as those of a database behind a broken network. */
export interface SilentStorage {
  readonly storage: Storage;
  readonly silence: () => void;
  /** Answers what was called meanwhile, and all that follows. */
  readonly answer: () => void;
}

export function silentStorage(storage: Storage): SilentStorage {
  let silence: PromiseWithResolvers<void> | undefined;
  const silenced = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function') return method;
        return (...parameters: readonly unknown[]): unknown => {
          if (silence === undefined || name === 'watch') return Reflect.apply(method, target, parameters);
          return silence.promise.then((): unknown => Reflect.apply(method, target, parameters));
        };
      },
    });
  const [executions, workingMemory] = [silenced(storage.executions), silenced(storage.workingMemory)];
  return {
    storage: { ...storage, executions, workingMemory },
    silence: () => {
      silence = Promise.withResolvers();
    },
    answer: () => {
      silence?.resolve();
      silence = undefined;
    },
  };
}
