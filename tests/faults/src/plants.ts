import type { Commit, Execution, ExecutionStore, Storage, StreamStore } from '@halyard/contracts';
import type { BodyLog } from './harness/body-log.ts';

/** Bugs that the checkers must find: each is what a careless store, or a careless user of one, would do. */
export type PlantName =
  /** A commit that is refused is sent again under the epoch of whoever runs the execution now, and lost leases go unnoticed. */
  | 'no-fence'
  /** A commit whose reply was lost is sent again as another one. */
  | 'new-commit-id'
  /** Events come from what this process has written itself. */
  | 'local-events'
  /** Whoever takes over does not read what was recorded. */
  | 'forgotten-journal'
  /** Nobody looks for what others have left. */
  | 'no-takeover'
  /** The database answers before a commit is on the disk: `restarts.faults.ts` asks it to. */
  | 'early-answers'
  /** Claims that came to nothing are not counted. */
  | 'endless-claims'
  /** Reads come from a cache that knows nothing of what others write. */
  | 'stale-reads'
  /** Who reads an answer on misses a chunk each time. */
  | 'lost-chunk'
  /** What was read of executions is kept for good. */
  | 'kept-rows'
  /** Who is told to stop does: `replica.ts` sees to it. */
  | 'abrupt-stop';

export interface PlantOptions {
  readonly plant: PlantName | undefined;
  readonly log: BodyLog;
}

/** The same storage, which writes down what was refused, with a bug where one is asked for. */
export function plantBug(storage: Storage, { log, plant }: PlantOptions): Storage {
  const told = changed(storage.executions, {
    commit: async (commit) => {
      const outcome = await storage.executions.commit(commit);
      if (outcome.status === 'fenced')
        log.write({ kind: 'fenced', execution: commit.executionId, path: '', attempt: '' });
      return outcome;
    },
  });
  return {
    ...storage,
    executions: plant === undefined ? told : changed(told, bugs[plant](told)),
    ...(plant === 'lost-chunk' && storage.streams && { streams: losingChunks(storage.streams) }),
  };
}

const bugs: Readonly<Record<PlantName, (store: ExecutionStore) => Partial<ExecutionStore>>> = {
  'no-fence': (store) => ({
    renew: async (held, lease) => {
      await store.renew(held, lease);
      return [];
    },
    commit: async (commit) => {
      const outcome = await store.commit(commit);
      return outcome.status === 'fenced' ? store.commit(await asOfNow(store, commit)) : outcome;
    },
  }),
  'new-commit-id': (store) => ({
    commit: async (commit) => {
      try {
        return await store.commit(commit);
      } catch {
        return store.commit({ ...(await asOfNow(store, commit)), commitId: `${commit.commitId} again` });
      }
    },
  }),
  'local-events': (store) => {
    const own = new Map<string, Set<number>>();
    return {
      commit: async (commit) => {
        const outcome = await store.commit(commit);
        if (outcome.status !== 'committed') return outcome;
        const seqs = own.get(commit.executionId) ?? new Set();
        for (let seq = commit.expectedSeq + 1; seq <= outcome.seq; seq += 1) seqs.add(seq);
        own.set(commit.executionId, seqs);
        return outcome;
      },
      events: async (owner, id, range) => {
        const events = await store.events(owner, id, range);
        // The last one always: without it whoever follows would ask forever.
        return events.filter(({ seq }, index) => own.get(id)?.has(seq) === true || index === events.length - 1);
      },
    };
  },
  'forgotten-journal': (store) => ({
    claim: async (id, lease) => {
      const claimed = await store.claim(id, lease);
      return claimed && { ...claimed, journal: [] };
    },
  }),
  'no-takeover': (store) => ({
    claim: async (id, lease) => {
      const row = await store.find('anyone', id);
      return row?.runner === null ? store.claim(id, lease) : undefined;
    },
  }),
  'early-answers': () => ({}),
  'abrupt-stop': () => ({}),
  'lost-chunk': () => ({}),
  'kept-rows': (store) => {
    const kept: string[] = [];
    return {
      claim: async (id, lease) => {
        const claimed = await store.claim(id, lease);
        kept.push(JSON.stringify(claimed));
        return claimed;
      },
    };
  },
  'endless-claims': (store) => ({
    claim: async (id, lease) => {
      const claimed = await store.claim(id, lease);
      return claimed && { ...claimed, claimsWithoutCommit: 1 };
    },
  }),
  'stale-reads': (store) => {
    const cached = new Map<string, { readonly row: Execution | undefined; readonly until: number }>();
    return {
      find: async (owner, id) => {
        const known = cached.get(id);
        if (known !== undefined && performance.now() < known.until) return known.row;
        const row = await store.find(owner, id);
        cached.set(id, { row, until: performance.now() + 200 });
        return row;
      },
    };
  },
};

async function asOfNow(store: ExecutionStore, commit: Commit): Promise<Commit> {
  const row = await store.find('anyone', commit.executionId);
  return { ...commit, epoch: row?.epoch ?? 0, expectedSeq: row?.seq ?? 0 };
}

/** Loses the first chunk of what is read on. */
function losingChunks(store: StreamStore): StreamStore {
  return changed(store, {
    read: async (id, range) => {
      const found = await store.read(id, range);
      return found && range.after > 0 && found.chunks.length > 1 ? { ...found, chunks: found.chunks.slice(1) } : found;
    },
  });
}

function changed<Store extends object>(store: Store, changes: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const change: unknown = Reflect.get(changes, name);
      if (change !== undefined) return change;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
