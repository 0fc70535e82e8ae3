import type { StreamStore } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { all, asUser, type StreamFault } from './stream-fault.ts';

/** Faults of ownership and of notifications. */
export const streamWatchFaults: FaultTable<StreamFault> = {
  'finds and stops only streams of the owner': [
    asUser(() => undefined),
    asUser((user) => user.toLowerCase()),
    asUser((user) => user.replace('%', 'a')),
  ],
  'finds and stops streams without a user only for anyone': asUser((user) => (user === '' ? undefined : user)),
  // Stops the streams of all users for anyone.
  'finds for anyone the stream that began last, of several users with one conversation id': (store) => ({
    requestStop: async (owner, place) => {
      if (owner !== 'anyone') return store.requestStop(owner, place);
      for (const user of ['ada', 'ben']) await store.requestStop({ user }, place);
      return store.requestStop(owner, place);
    },
  }),
  // Notifies watchers only of writes.
  'notifies watchers of a stream when another replaces it, when it is lost or discarded, and when its user is deleted':
    (store) => ({
      watch: (id, listener) =>
        store.watch(id, () => {
          void store.read(id, all).then((read) => {
            if (read !== undefined && read.status !== 'lost') listener();
          });
        }),
    }),
  // Calls before it has written.
  'has written the change when it notifies watchers': (store) => {
    const { listeners, watch } = ownListeners();
    return {
      watch,
      append: async (id, append, leaseMs) => {
        for (const listener of listeners) listener();
        listeners.clear();
        return store.append(id, append, leaseMs);
      },
    };
  },
  // Stops notifying watchers when one throws.
  'notifies every watcher and writes, although one of them throws': (store) => {
    const { listeners, watch } = ownListeners();
    return {
      watch,
      append: async (id, append, leaseMs) => {
        const outcome = await store.append(id, append, leaseMs);
        for (const listener of listeners) listener();
        return outcome;
      },
    };
  },
  'does not notify removed watchers, and still notifies the others': (store) => ({
    watch: (id, listener) => (store.watch(id, listener), () => {}),
  }),
  // Does not notify watchers after chunks.
  'notifies watchers of a stream after chunks, after a stop request and after its end': (store) => {
    let isMuted = false;
    return {
      watch: (id, listener) => store.watch(id, () => void (isMuted || listener())),
      append: async (id, append, leaseMs) => {
        isMuted = true;
        return store.append(id, append, leaseMs).finally(() => (isMuted = false));
      },
    };
  },
};

/** The listeners of all streams, which the fault calls itself. */
function ownListeners(): { readonly listeners: Set<() => void>; readonly watch: StreamStore['watch'] } {
  const listeners = new Set<() => void>();
  const watch: StreamStore['watch'] = (_id, listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { listeners, watch };
}
