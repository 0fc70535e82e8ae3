import type { StreamStore } from '@halyard/contracts';
import { all, asUser, type StreamFault } from './stream-fault.ts';

const own = 'finds and stops only streams of the owner';
const ofNobody = 'finds and stops streams without a user only for anyone';
const last = 'finds for anyone the stream that began last, of several users with one conversation id';
const notified = 'notifies watchers of a stream after chunks, after a stop request and after its end';
const toldOfLoss =
  'notifies watchers of a stream when another replaces it, when it is lost or discarded, and when its user is deleted';
const stopped = 'does not notify removed watchers, and still notifies the others';

/** Faults of ownership and of notifications. */
export const streamWatchFaults: readonly StreamFault[] = [
  ['returns the streams of other users', own, asUser(() => undefined)],
  ['ignores the case of user ids', own, asUser((user) => user.toLowerCase())],
  ['treats user ids as patterns', own, asUser((user) => user.replace('%', 'a'))],
  [
    'returns data without a user to a user with an empty id',
    ofNobody,
    asUser((user) => (user === '' ? undefined : user)),
  ],
  [
    'returns no data without a user to anyone',
    ofNobody,
    (store) => ({
      findLive: async (owner, place) => {
        const live = await store.findLive(owner, place);
        return live?.userId === undefined ? undefined : live;
      },
    }),
  ],
  [
    'shows anyone the stream of the first user',
    last,
    (store) => {
      const begun: string[] = [];
      return {
        begin: (stream, leaseMs) => {
          if (stream.userId !== undefined) begun.push(stream.userId);
          return store.begin(stream, leaseMs);
        },
        findLive: async (owner, place) => {
          for (const user of owner === 'anyone' ? begun : []) {
            const live = await store.findLive({ user }, place);
            if (live !== undefined) return live;
          }
          return store.findLive(owner, place);
        },
      };
    },
  ],
  [
    'stops the streams of all users for anyone',
    last,
    (store) => ({
      requestStop: async (owner, place) => {
        if (owner !== 'anyone') return store.requestStop(owner, place);
        for (const user of ['ada', 'ben']) await store.requestStop({ user }, place);
        return store.requestStop(owner, place);
      },
    }),
  ],
  ...(['append', 'requestStop', 'end', 'discard'] as const).map((method): StreamFault => [
    `does not notify watchers after ${method}`,
    method === 'discard' ? toldOfLoss : notified,
    (store) => {
      let isMuted = false;
      const quietly = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
        isMuted = true;
        try {
          return await work();
        } finally {
          isMuted = false;
        }
      };
      const watch: typeof store.watch = (id, listener) =>
        store.watch(id, () => {
          if (!isMuted) listener();
        });
      if (method === 'append')
        return { watch, append: (id, append, leaseMs) => quietly(() => store.append(id, append, leaseMs)) };
      if (method === 'discard') return { watch, discard: (id) => quietly(() => store.discard(id)) };
      if (method === 'end') return { watch, end: (id, append) => quietly(() => store.end(id, append)) };
      return { watch, requestStop: (owner, place) => quietly(() => store.requestStop(owner, place)) };
    },
  ]),
  [
    'notifies watchers only of writes',
    toldOfLoss,
    (store) => ({
      watch: (id, listener) =>
        store.watch(id, () => {
          void store.read(id, all).then((read) => {
            if (read !== undefined && read.status !== 'lost') listener();
          });
        }),
    }),
  ],
  [
    'calls before it has written',
    'has written the change when it notifies watchers',
    (store) => {
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
  ],
  [
    'stops notifying watchers when one throws',
    'notifies every watcher and writes, although one of them throws',
    (store) => {
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
  ],
  [
    'notifies removed watchers',
    stopped,
    (store) => ({ watch: (id, listener) => (store.watch(id, listener), () => {}) }),
  ],
  [
    'stops all with the same listener',
    stopped,
    (store) => {
      const stops = new Map<() => void, (() => void)[]>();
      return {
        watch: (id, listener) => {
          stops.set(listener, [...(stops.get(listener) ?? []), store.watch(id, listener)]);
          return () => {
            for (const stop of stops.get(listener) ?? []) stop();
          };
        },
      };
    },
  ],
];

/** The listeners of all streams, which the fault calls itself. */
function ownListeners(): { readonly listeners: Set<() => void>; readonly watch: StreamStore['watch'] } {
  const listeners = new Set<() => void>();
  const watch: StreamStore['watch'] = (_id, listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { listeners, watch };
}
