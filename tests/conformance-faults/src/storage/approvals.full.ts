import { approvalStoreCases } from '@halyard/conformance';
import type { ApprovalDecision, ApprovalStore, OpenApproval } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { type FaultTable, faulty, pause, wrappersOf } from '../faults.ts';
import { provesAllCases, settableClock } from '../proves-cases.ts';

const { passing, returning } = wrappersOf<ApprovalStore>();

const faults: FaultTable<(store: ApprovalStore, now: () => number) => Partial<ApprovalStore>> = {
  'accepts an approval once': () => ({ consume: async () => true }),
  // Checks whether an approval was used, and stores that later.
  'accepts one of several concurrent answers, for each of many approvals': (store) => {
    const used = new Set<string>();
    return {
      consume: async (id, expiresAt) => {
        const isUsed = used.has(id);
        await pause();
        used.add(id);
        await store.consume(id, expiresAt);
        return !isUsed;
      },
    };
  },
  // Deletes all approvals when one has expired.
  'stores a used approval until it expires, whatever expires before or after it': () => {
    const used = new Set<string>();
    return {
      consume: async (id) => {
        const isFirst = !used.has(id);
        used.add(id);
        return isFirst;
      },
      purge: async () => {
        used.clear();
        return 0;
      },
    };
  },
  // Uses the expiry of the last call.
  'does not change the expiry of a used approval when it is used again': (_store, now) => {
    const expiries = new Map<string, number>();
    return {
      consume: async (id, expiresAt) => {
        const isFirst = (expiries.get(id) ?? 0) < now();
        expiries.set(id, expiresAt);
        return isFirst;
      },
    };
  },
  'purges expired approvals, at most as many as requested': [
    () => ({ purge: async () => 0 }),
    passing('purge', () => [100]),
    returning('purge', (result) => result + 1),
  ],
  'lists open requests for those who may answer them, the newest first': [
    passing('listOpen', (keys) => [keys, 100]),
    passing('listOpen', (keys, limit) => [keys, limit, 0]),
    returning('listOpen', (requests) => requests.toReversed()),
    // Ignores the tenant of a role.
    passing('listOpen', (keys, limit, offset) => [[...keys, '["role","acme","manager"]'], limit, offset]),
  ],
  'replaces an open request that asks others, unless it was used': [
    // Stores each round like a first one.
    passing('open', ({ round: _, ...request }) => [request]),
    // Does not see which round is later.
    passing('open', (request) => [request.round === undefined ? request : { ...request, round: 1 }]),
  ],
  // Leaves the request open.
  'opens a request once, until it is used': () => ({ consume: async () => true }),
  // Stores only the fields that it knows.
  'finds the work of sub-agents that waits, which is listed for nobody': passing(
    'open',
    ({ delegation: _, ...request }) => [request],
  ),
  'finds no request that has expired, and purges it': (store) => {
    const requests = new Map<string, OpenApproval>();
    return {
      open: async (request) => {
        requests.set(request.id, request);
        await store.open(request);
      },
      find: async (id) => requests.get(id),
    };
  },
  'adds one decision of each person, until a quorum or a denial': returning('decide', (decisions) =>
    decisions.slice(0, 1),
  ),
  'returns the decisions until they expire': [
    returning('decisions', (decisions) => decisions.slice(1)),
    returning('decisions', (decisions) => decisions.toReversed()),
    // Never forgets them.
    (store) => {
      let last: readonly ApprovalDecision[] = [];
      return {
        decisions: async (id) => {
          const found = await store.decisions(id);
          last = found.length === 0 ? last : found;
          return last;
        },
      };
    },
  ],
  // Reads the decisions, and writes them later.
  'completes the decisions of many at once exactly once': () => {
    const decided = new Map<string, readonly ApprovalDecision[]>();
    return {
      decide: async (id, decision, { quorum }) => {
        const before = decided.get(id) ?? [];
        await pause();
        if (before.length >= quorum) return before;
        decided.set(id, [...before, decision]);
        return [...before, decision];
      },
    };
  },
  'accepts ids with any characters': [
    passing('consume', (id, expiresAt) => [id.trim(), expiresAt]),
    passing('consume', (id, expiresAt) => [id.toLowerCase(), expiresAt]),
  ],
};

provesAllCases(approvalStoreCases, [faults], (fault) => {
  const { advance, now } = settableClock();
  const { approvals } = createInMemoryStorage({ clock: { now } });
  return { store: faulty(approvals, fault(approvals, now)), now, advance };
});
