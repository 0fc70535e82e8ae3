import type { Storage, VectorStore } from '@halyard/contracts';
import type { UserOf } from '../../fastify/endpoint-call.ts';
import { userOf } from './request.ts';

/** The storage, but for one method that forgets whose data it may touch. */
export function forgetful(
  storage: Storage,
  name: 'conversations' | 'executions' | 'workingMemory',
  method: string,
): Storage {
  return replaced(storage, name, replaced(storage[name], method, anyones(storage[name], method)));
}

/** Vectors of anybody are found. */
export function forgetfulVectors(vectors: VectorStore): VectorStore {
  return replaced(vectors, 'search', anyones(vectors, 'search'));
}

/** A list that counts and gives what is everybody's. */
export function unconfined(storage: Storage, name: 'conversations' | 'executions'): Storage {
  const list = (_: unknown, { userId: _named, ...filter }: Record<string, unknown>): unknown =>
    Reflect.apply(storage[name].list, storage[name], ['anyone', filter]);
  return replaced(storage, name, replaced(storage[name], 'list', list));
}

/** Who is named counts, not who is verified. */
export const credulous: UserOf = (request) => {
  const body = request.body as
    | { userId?: string; options?: { userId?: string; memory?: { userId?: string } } }
    | null
    | undefined;
  const { query } = request as { readonly query: { readonly userId?: string } };
  const id = body?.options?.memory?.userId ?? body?.options?.userId ?? body?.userId ?? query.userId;
  return typeof id === 'string' ? { id } : userOf(request);
};

function anyones<Store extends object>(store: Store, method: string): (...given: unknown[]) => unknown {
  const act: unknown = Reflect.get(store, method);
  return (_owner, ...rest): unknown =>
    typeof act === 'function' ? Reflect.apply(act, store, ['anyone', ...rest]) : undefined;
}

/** All else as it is, private fields included. */
function replaced<Thing extends object>(thing: Thing, name: string, value: unknown): Thing {
  return new Proxy(thing, {
    get: (target, key): unknown => {
      if (key === name) return value;
      const own: unknown = Reflect.get(target, key);
      return typeof own === 'function' ? (...given: unknown[]): unknown => Reflect.apply(own, target, given) : own;
    },
  });
}
