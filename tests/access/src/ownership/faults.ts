import type { Storage, VectorStore } from '@halyard/contracts';
import type { UserOf } from '../../../../packages/server-fastify/src/http/endpoints/endpoint-call.ts';
import { userOf } from '../../../../packages/server-fastify/src/testing/owned-request.ts';

/** A storage with one method that ignores the owner. */
export function ignoringOwner(
  storage: Storage,
  name: 'conversations' | 'executions' | 'workingMemory',
  method: string,
): Storage {
  return replaced(storage, name, replaced(storage[name], method, asAnyone(storage[name], method)));
}

/** Finds the vectors of all users. */
export function vectorsOfAllUsers(vectors: VectorStore): VectorStore {
  return replaced(vectors, 'search', asAnyone(vectors, 'search'));
}

/** A list that contains the data of all users. */
export function listingAllUsers(storage: Storage, name: 'conversations' | 'executions'): Storage {
  const list = (_: unknown, { userId: _named, ...filter }: Record<string, unknown>): unknown =>
    Reflect.apply(storage[name].list, storage[name], ['anyone', filter]);
  return replaced(storage, name, replaced(storage[name], 'list', list));
}

/** Trusts the named user instead of the verified one. */
export const trustingNamedUser: UserOf = (request) => {
  const body = request.body as
    | { userId?: string; options?: { userId?: string; memory?: { userId?: string } } }
    | null
    | undefined;
  const { query } = request as { readonly query: { readonly userId?: string } };
  const id = body?.options?.memory?.userId ?? body?.options?.userId ?? body?.userId ?? query.userId;
  return typeof id === 'string' ? { id } : userOf(request);
};

function asAnyone<Store extends object>(store: Store, method: string): (...given: unknown[]) => unknown {
  const act: unknown = Reflect.get(store, method);
  return (_owner, ...rest): unknown =>
    typeof act === 'function' ? Reflect.apply(act, store, ['anyone', ...rest]) : undefined;
}

/** Delegates everything else, including private fields. */
function replaced<Thing extends object>(thing: Thing, name: string, value: unknown): Thing {
  return new Proxy(thing, {
    get: (target, key): unknown => {
      if (key === name) return value;
      const own: unknown = Reflect.get(target, key);
      return typeof own === 'function' ? (...given: unknown[]): unknown => Reflect.apply(own, target, given) : own;
    },
  });
}
