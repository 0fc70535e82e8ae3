import type { ClaimedExecution, ExhaustedExecution } from '@halyard/contracts';
import type { ExecutionFault } from './execution-fault.ts';

const requestOfExhausted =
  'claims an execution with a request until it has twice as many claims without a commit, and does not quarantine it before';
/** Longer than any case. */
const forEver = 1e12;

/** Stores whose `claimNext` has one fault each, and the case that must find it. */
export const claimNextMutations: readonly ExecutionFault[] = [
  [
    'announces nothing that is due',
    'notifies those that watch for what is due, until they stop',
    () => ({ announceDue: () => {} }),
  ],
  [
    'notifies those that have stopped watching for what is due',
    'notifies those that watch for what is due, until they stop',
    (real) => ({
      watchDue: (listener) => {
        real.watchDue(listener);
        return () => {};
      },
    }),
  ],
  [
    'creates executions of a user without a limit',
    'creates nothing for a user of whom as many executions wait as may, and counts only those of the same definition and priority that are due',
    (real) => ({ create: (execution, { maxWaiting: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'counts executions of other priorities among those that wait',
    'creates nothing for a user of whom as many executions wait as may, and counts only those of the same definition and priority that are due',
    (real) => ({ create: (execution, { priority: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'claims all that is due, however many are requested',
    'claims what is due, the highest priority first, then what has been due longest, at most as many as requested',
    (real) => ({ claimNext: (lease, options) => real.claimNext(lease, { ...options, limit: 1_000 }) }),
  ],
  [
    'ignores priorities',
    'claims what is due, the highest priority first, then what has been due longest, at most as many as requested',
    (real) => ({ create: (execution, { priority: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'claims executions before they are due',
    'claims what is due, the highest priority first, then what has been due longest, at most as many as requested',
    (real) => ({ create: (execution, { dueInMs: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'returns the next executions without their journals',
    'returns everything that a runner needs with each of the next executions',
    (real) => ({
      claimNext: async (lease, options) => {
        const next = await real.claimNext(lease, options);
        return { ...next, claimed: next.claimed.map((one) => ({ ...one, journal: [] })) };
      },
    }),
  ],
  ...(
    [
      'lets users take turns: the position among what is due of the user, plus what this runner runs of the user',
      'claims the first execution of one user before the second of another, however many that one has',
    ] as const
  ).map((foundBy): ExecutionFault => [
    'claims in the order of time, whoever the users are',
    foundBy,
    (real) => ({ create: ({ userId: _, ...execution }, options) => real.create(execution, options) }),
  ]),
  [
    'does not count what the runner runs',
    'lets users take turns: the position among what is due of the user, plus what this runner runs of the user',
    (real) => {
      let calls = 0;
      return {
        claimNext: ({ leaseMs, runner }, options) => {
          calls += 1;
          return real.claimNext({ leaseMs, runner: `${runner}-${calls}` }, options);
        },
      };
    },
  ],
  [
    'gives an execution to the next process, too',
    'gives each execution to one of several processes that claim at the same time, and leaves none',
    (real) => {
      let last: readonly ClaimedExecution[] = [];
      return {
        claimNext: async (lease, options) => {
          const next = await real.claimNext(lease, options);
          const claimed = [...next.claimed, ...last];
          last = next.claimed.slice(0, 1);
          return { ...next, claimed };
        },
      };
    },
  ],
  [
    'loses all that it claims after the first',
    'gives each execution to one of several processes that claim at the same time, and leaves none',
    (real) => ({
      claimNext: async (lease, options) => {
        const next = await real.claimNext(lease, options);
        return { ...next, claimed: next.claimed.slice(0, 1) };
      },
    }),
  ],
  [
    'never claims what a lost runner had',
    'claims what a lost runner had, at once after the first claim without a commit',
    (real) => ({ claim: (id, lease, options) => real.claim(id, { ...lease, leaseMs: forEver }, options) }),
  ],
  [
    'claims what a lost runner had at once, however often that happened',
    'leaves an execution alone that was claimed several times without a commit, longer each time up to 16 leases',
    (real) => ({
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
  ],
  [
    'claims an execution however often it was claimed without a commit',
    'reports an execution with too many claims without a commit once in a lease instead of claiming it, until it is quarantined',
    (real) => ({ claimNext: (lease, { maxClaims: _, ...options }) => real.claimNext(lease, options) }),
  ],
  [
    'reports an exhausted execution although it has a request',
    requestOfExhausted,
    (real) => ({
      claimNext: async (lease, options) => {
        const { maxClaims = Infinity } = options;
        const next = await real.claimNext(lease, options);
        const claimed = next.claimed.filter(({ claimsWithoutCommit }) => claimsWithoutCommit <= maxClaims);
        return { ...next, claimed };
      },
    }),
  ],
  [
    'quarantines an execution that has a request',
    requestOfExhausted,
    (real) => ({ quarantine: (id, quarantine) => real.quarantine(id, { ...quarantine, minClaims: 0 }) }),
  ],
  [
    'claims an execution with a request however often that was in vain',
    requestOfExhausted,
    (real) => ({
      claimNext: async (lease, { maxClaims, ...options }) => {
        const execution = await real.find('anyone', 'run');
        const hasRequest = execution !== undefined && execution.request !== null;
        return real.claimNext(lease, { ...options, ...(maxClaims !== undefined && !hasRequest && { maxClaims }) });
      },
    }),
  ],
  [
    'reports an exhausted execution with each call',
    'reports an execution with too many claims without a commit once in a lease instead of claiming it, until it is quarantined',
    (real) => {
      let exhausted: readonly ExhaustedExecution[] = [];
      return {
        claimNext: async (lease, options) => {
          const next = await real.claimNext(lease, options);
          if (next.exhausted.length > 0) exhausted = next.exhausted;
          return { ...next, exhausted: exhausted };
        },
      };
    },
  ],
  [
    'runs all executions together, however often they were claimed without a commit',
    'runs one at a time of the executions that have half of the claims without a commit after which they are exhausted',
    (real) => ({ claimNext: (lease, { maxClaims: _, ...options }) => real.claimNext(lease, options) }),
  ],
  [
    'claims without regard to concurrency keys',
    'claims no more executions of a concurrency key than its limit, also at the same time, and lets the others wait',
    (real) => ({ create: (execution, { concurrency: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'claims executions with any definition',
    'claims executions with the given definitions only, and replaces each with the one that follows it',
    (real) => ({
      claimNext: (lease, options) => {
        const definitions = { 'orders@1': 'orders@1', 'orders@2': 'orders@2', ...options.definitions };
        return real.claimNext(lease, { ...options, definitions });
      },
    }),
  ],
  [
    'replaces no definition of what it claims',
    'claims executions with the given definitions only, and replaces each with the one that follows it',
    (real) => ({
      claimNext: (lease, options) => {
        const definitions = Object.fromEntries(Object.keys(options.definitions).map((name) => [name, name]));
        return real.claimNext(lease, { ...options, definitions });
      },
    }),
  ],
  [
    'does not tell when another execution is due',
    'returns the time until another execution is due, and nothing when there is none',
    (real) => ({
      claimNext: async (lease, options) => ({ ...(await real.claimNext(lease, options)), nextDueInMs: undefined }),
    }),
  ],
  [
    'begins a lease although nothing is due',
    'extends the lease of the runner with the executions that it claims, and begins none for nothing',
    (real) => ({
      claimNext: async (lease, options) => {
        await real.renew([], lease);
        return real.claimNext(lease, options);
      },
    }),
  ],
];
