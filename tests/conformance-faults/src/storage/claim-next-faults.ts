import type { FaultTable } from '../faults.ts';
import { passing, dropping, type ExecutionFault, returning, setting } from './execution-fault.ts';

/** Longer than any case. */
const forEver = 1e12;

/** Faults of `claimNext`. */
export const claimNextFaults: FaultTable<ExecutionFault> = {
  'notifies those that watch for what is due, until they stop': () => ({ announceDue: () => {} }),
  'creates nothing for a user of whom as many executions wait as may, and counts only those of the same definition and priority that are due':
    dropping('create', 'priority'),
  'claims what is due, the highest priority first, then what has been due longest, at most as many as requested':
    setting('claimNext', { limit: 1_000 }),
  'returns everything that a runner needs with each of the next executions': returning('claimNext', (next) => ({
    ...next,
    claimed: next.claimed.map((one) => ({ ...one, journal: [] })),
  })),
  // Does not count what the runner runs.
  'lets users take turns: the position among what is due of the user, plus what this runner runs of the user': (
    real,
  ) => {
    let calls = 0;
    return {
      claimNext: ({ leaseMs, runner }, options) => {
        calls += 1;
        return real.claimNext({ leaseMs, runner: `${runner}-${calls}` }, options);
      },
    };
  },
  'gives each execution to one of several processes that claim at the same time, and leaves none': returning(
    'claimNext',
    (next) => ({
      ...next,
      claimed: next.claimed.slice(0, 1),
    }),
  ),
  // Never claims what a lost runner had.
  'claims what a lost runner had, at once after the first claim without a commit': passing(
    'claim',
    (id, lease, options) => [id, { ...lease, leaseMs: forEver }, options],
  ),
  // Claims what a lost runner had at once, however often that happened.
  'leaves an execution alone that was claimed several times without a commit, longer each time up to 16 leases': (
    real,
  ) => ({
    claimNext: async (lease, options) => {
      const { executions } = await real.list('anyone', { parentExecutionId: null, limit: 50, offset: 0 });
      const held = executions.filter(({ runner }) => runner !== null);
      const taken = await Promise.all(
        held.map(async ({ id }) => real.claim(id, lease, { definitions: options.definitions })),
      );
      const next = await real.claimNext(lease, options);
      return { ...next, claimed: [...taken.flatMap((one) => one ?? []), ...next.claimed] };
    },
  }),
  'reports an execution with too many claims without a commit once in a lease instead of claiming it, until it is quarantined':
    dropping('claimNext', 'maxClaims'),
  'claims an execution with a request until it has twice as many claims without a commit, and does not quarantine it before':
    setting('quarantine', { minClaims: 0 }),
  'runs one at a time of the executions that have half of the claims without a commit after which they are exhausted':
    dropping('claimNext', 'maxClaims'),
  'claims no more executions of a concurrency key than its limit, also at the same time, and lets the others wait':
    dropping('create', 'concurrency'),
  // Claims executions with any definition.
  'claims executions with the given definitions only, and replaces each with the one that follows it': (real) => ({
    claimNext: (lease, options) => {
      const definitions = { 'orders@1': 'orders@1', 'orders@2': 'orders@2', ...options.definitions };
      return real.claimNext(lease, { ...options, definitions });
    },
  }),
  'returns the time until another execution is due, and nothing when there is none': returning(
    'claimNext',
    (result) => ({
      ...result,
      nextDueInMs: undefined,
    }),
  ),
  // Begins a lease although nothing is due.
  'extends the lease of the runner with the executions that it claims, and begins none for nothing': (real) => ({
    claimNext: async (lease, options) => {
      await real.renew([], lease);
      return real.claimNext(lease, options);
    },
  }),
  'claims the first execution of one user before the second of another, however many that one has': passing(
    'create',
    ({ userId: _, ...execution }, options) => [execution, options],
  ),
};
