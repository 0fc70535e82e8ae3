import { setTimeout as delay } from 'node:timers/promises';
import type { Commit, ConversationStore, Execution, ExecutionStore, Storage, StreamStore } from '@halyard/contracts';
import { Client } from 'pg';
import type { BodyLog } from './harness/body-log.ts';

/** Planted bugs that the checks must find. */
export type PlantName =
  /** A fenced commit is sent again with the current epoch, and the runner ignores lost leases. */
  | 'no-fence'
  /** A commit whose response was lost is sent again with a new id. */
  | 'new-commit-id'
  /** A process returns only the events that it has written itself. */
  | 'local-events'
  /** A takeover does not read the journal. */
  | 'forgotten-journal'
  /** Executions of lost processes are not taken over. */
  | 'no-takeover'
  /**
   * The database acknowledges commits before they are on disk (configured in `restarts.faults.ts`).
   */
  | 'early-answers'
  /** A process runs executions of any definition. */
  | 'any-definition'
  /** Claims without a commit are not counted. */
  | 'endless-claims'
  /** Reads come from a cache that other processes do not invalidate. */
  | 'stale-reads'
  /** Reading more of a stream skips a chunk. */
  | 'lost-chunk'
  /** A process does not notice that another one answers the conversation. */
  | 'ignored-locks'
  /** A run does not find the summaries of its conversation. */
  | 'forgotten-summaries'
  /** Claimed executions are retained in memory. */
  | 'retained-rows'
  /**
   * Each renewal is reported as successful at once, so that a process never loses its lease by its
   * own clock.
   */
  | 'endless-lease'
  /** A rewind ends with a transaction of several round trips that locks the executions. */
  | 'locking-rewind'
  /** A replica exits at once on SIGTERM (implemented in `replica.ts`). */
  | 'abrupt-stop';

export interface PlantOptions {
  readonly plant: PlantName | undefined;
  readonly log: BodyLog;
  readonly connectionString: string;
}

/**
 * Wraps a storage: logs commits that were fenced or not answered, and adds the planted bug, if any.
 */
export function plantBug(storage: Storage, { connectionString, log, plant }: PlantOptions): Storage {
  const logged = changed(storage.executions, {
    commit: async (commit) => {
      const line = { execution: commit.executionId, path: '', attempt: '' };
      try {
        const outcome = await storage.executions.commit(commit);
        if (outcome.status === 'fenced') log.write({ kind: 'fenced', ...line });
        return outcome;
      } catch (error) {
        log.write({ kind: 'unanswered', ...line });
        throw error;
      }
    },
  });
  return {
    ...storage,
    executions: plant === undefined ? logged : changed(logged, bugs[plant](logged, connectionString)),
    ...(plant === 'lost-chunk' && storage.streams && { streams: losingChunks(storage.streams) }),
    ...(plant === 'forgotten-summaries' && { conversations: withoutSummaries(storage.conversations) }),
    ...(plant === 'ignored-locks' && storage.streams && { streams: ignoringLocks(storage.streams) }),
  };
}

type Bug = (store: ExecutionStore, connectionString: string) => Partial<ExecutionStore>;

const bugs: Readonly<Record<PlantName, Bug>> = {
  'no-fence': (store) => ({
    renew: async (claimed, lease) => {
      await store.renew(claimed, lease);
      return [];
    },
    commit: async (commit) => {
      const outcome = await store.commit(commit);
      return outcome.status === 'fenced' ? store.commit(await withCurrentEpoch(store, commit)) : outcome;
    },
  }),
  'new-commit-id': (store) => ({
    commit: async (commit) => {
      try {
        return await store.commit(commit);
      } catch {
        return store.commit({ ...(await withCurrentEpoch(store, commit)), commitId: `${commit.commitId} again` });
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
        // Always includes the last event, otherwise followers would read forever.
        return events.filter(({ seq }, index) => own.get(id)?.has(seq) === true || index === events.length - 1);
      },
    };
  },
  'forgotten-journal': (store) => ({
    claim: async (id, lease, options) => {
      const claimed = await store.claim(id, lease, options);
      return claimed && { ...claimed, journal: [] };
    },
  }),
  'no-takeover': (store, connectionString) => ({
    claimNext: async (lease, options) => {
      const client = new Client({ connectionString });
      await client.connect();
      try {
        // No lease of another process ends.
        await client.query(`update halyard.runners set lease_until = 9e15 where lease_until < 9e15 and name <> $1`, [
          lease.runner,
        ]);
      } finally {
        await client.end();
      }
      return store.claimNext(lease, options);
    },
  }),
  'endless-lease': (store) => ({
    renew: async (held, lease) => {
      void store.renew(held, lease).catch(() => {});
      return [];
    },
  }),
  'locking-rewind': (store, connectionString) => ({
    rewind: async (owner, rewind) => {
      const outcome = await store.rewind(owner, rewind);
      const client = new Client({ connectionString });
      await client.connect();
      await client.query('begin');
      await client.query('lock table halyard.executions in share row exclusive mode');
      // So long that a replica is almost certainly paused while it holds the lock.
      await delay(1_000);
      await client.query('commit');
      await client.end();
      return outcome;
    },
  }),
  'early-answers': () => ({}),
  'abrupt-stop': () => ({}),
  'lost-chunk': () => ({}),
  'ignored-locks': () => ({}),
  'forgotten-summaries': () => ({}),
  'retained-rows': (store) => {
    const retained: string[] = [];
    return {
      claim: async (id, lease, options) => {
        const claimed = await store.claim(id, lease, options);
        retained.push(JSON.stringify(claimed));
        return claimed;
      },
    };
  },
  'any-definition': (store) => ({
    claim: (id, lease) => store.claim(id, lease),
  }),
  'endless-claims': (store) => ({
    claim: async (id, lease) => {
      const claimed = await store.claim(id, lease);
      return claimed && { ...claimed, claimsWithoutCommit: 1 };
    },
    claimNext: (lease, { maxClaims: _, ...options }) => store.claimNext(lease, options),
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

async function withCurrentEpoch(store: ExecutionStore, commit: Commit): Promise<Commit> {
  const row = await store.find('anyone', commit.executionId);
  return { ...commit, epoch: row?.epoch ?? 0, expectedSeq: row?.seq ?? 0 };
}

/** Loses the first chunk when a stream is read further. */
function losingChunks(store: StreamStore): StreamStore {
  return changed(store, {
    read: async (id, range) => {
      const found = await store.read(id, range);
      return found && range.after > 0 && found.chunks.length > 1 ? { ...found, chunks: found.chunks.slice(1) } : found;
    },
  });
}

/** Begins a stream although its conversation has a live one. */
function ignoringLocks(store: StreamStore): StreamStore {
  return changed(store, {
    begin: async (stream, leaseMs) => {
      await store.begin(stream, leaseMs);
      return { kind: 'begun' };
    },
  });
}

/** Returns no system messages where only these are asked for. */
function withoutSummaries(store: ConversationStore): ConversationStore {
  return changed(store, {
    messages: async (owner, id, filter) => {
      const found = await store.messages(owner, id, filter);
      return found && filter.roles?.join() === 'system' ? { ...found, messages: [] } : found;
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
