import type { NewStream, StreamAppend, StreamChunks, StreamStore } from '@halyard/contracts';
import { wrappersOf } from '../faults.ts';

/** `now` is the time of the store's clock. */
export type StreamFault = (store: StreamStore, now: () => number) => Partial<StreamStore>;

export const { passing, returning } = wrappersOf<StreamStore>();

export const all = { after: 0, limit: 1_000_000 } as const;

/** Begins other streams than requested. */
export function beginning(change: (stream: NewStream) => NewStream): StreamFault {
  return passing('begin', (stream, leaseMs) => [change(stream), leaseMs]);
}

/** Appends other chunks than requested. @param count how many are stored */
export function adding(change: (append: StreamAppend, count: number) => StreamAppend): StreamFault {
  return (store) => {
    const changed = async (id: string, append: StreamAppend): Promise<StreamAppend> =>
      change(append, (await store.read(id, all))?.chunks.length ?? 0);
    return {
      append: async (id, append, leaseMs) => store.append(id, await changed(id, append), leaseMs),
      end: async (id, append) => store.end(id, await changed(id, append)),
    };
  };
}

/** Changes what is read. */
export function reading(
  change: (read: StreamChunks, range: Parameters<StreamStore['read']>[1]) => StreamChunks | undefined,
): StreamFault {
  return (store) => ({
    read: async (id, range) => {
      const read = await store.read(id, range);
      return read && change(read, range);
    },
  });
}

/** Uses another user than requested. */
export function asUser(change: (user: string) => string | undefined): StreamFault {
  const changed = (owner: Parameters<StreamStore['findLive']>[0]): typeof owner => {
    if (owner === 'anyone') return owner;
    const user = change(owner.user);
    return user === undefined ? 'anyone' : { user };
  };
  return (store) => ({
    findLive: (owner, place) => store.findLive(changed(owner), place),
    requestStop: (owner, place) => store.requestStop(changed(owner), place),
  });
}

/** Changes texts before they are stored. */
export function changingTexts(corrupt: (text: string) => string): StreamFault {
  return adding(({ after, chunks }) => ({ after, chunks: chunks.map(corrupt) }));
}
