import type { FaultTable } from '../faults.ts';
import { passing, dropping, type ExecutionFault, returning, setting } from './execution-fault.ts';

/** Faults of claims, leases, resumptions, rewinds and terminations. */
export const executionRunnerFaults: FaultTable<ExecutionFault> = {
  // Ends leases early.
  'grants no claim of a second runner before the lease of the first has expired': passing(
    'claim',
    (id, { leaseMs, runner }, options) => [id, { runner, leaseMs: leaseMs / 2 }, options],
  ),
  // Grants all concurrent claims.
  'grants one of several concurrent claims': (real) => ({
    claim: async (id, lease, options) => {
      const wanted = (await real.find('anyone', id))?.runner === null;
      const claimed = await real.claim(id, lease, options);
      if (claimed !== undefined || !wanted) return claimed;
      const execution = await real.find('anyone', id);
      const now = 1_750_000_000_000;
      return execution && { execution, subject: undefined, journal: [], children: [], claimsWithoutCommit: 1, now };
    },
  }),
  // Renews the leases of all runners.
  'reports what a runner has lost, and does not renew the lease of its new runner': (real) => ({
    renew: async (held, lease) => {
      const lost = await real.renew(held, lease);
      for (const executionId of lost) {
        const { epoch = 0, runner } = (await real.find('anyone', executionId)) ?? {};
        if (typeof runner === 'string') await real.renew([{ executionId, epoch }], { ...lease, runner });
      }
      return lost;
    },
  }),
  // Renews a lease that has run out.
  'does not renew a lease that has run out': (real) => ({
    renew: async (held, lease) => {
      const lost = await real.renew(held, lease);
      for (const executionId of lost) await real.claim(executionId, lease);
      return [];
    },
  }),
  // Leaves to a runner what it does not name.
  'takes from a runner what it does not know that it has claimed, one lease after the claim': (real) => ({
    renew: async (held, lease) => {
      const { executions } = await real.list('anyone', { parentExecutionId: null, limit: 100, offset: 0 });
      const all = executions.map(({ epoch, id }) => ({ executionId: id, epoch }));
      const lost = await real.renew(all, lease);
      return lost.filter((id) => held.some(({ executionId }) => executionId === id));
    },
  }),
  // Reports no lease as lost.
  'takes a rewound execution from its runner': (real) => ({
    renew: async (held, lease) => {
      await real.renew(held, lease);
      return [];
    },
  }),
  // Reads whether a suspension is pending before it writes the answer.
  'accepts one of several concurrent answers to a suspension': (real) => ({
    resume: async (owner, resume) => {
      const execution = await real.find(owner, resume.executionId);
      if (execution?.suspensions.some(({ id }) => id === resume.suspensionId) !== true) {
        return real.resume(owner, resume);
      }
      await real.resume(owner, resume);
      return 'resumed';
    },
  }),
  // Does not recognise repeated requests.
  'resumes once for a repeated request, with the same result, also after the execution has continued': (real) => {
    let requests = 0;
    return {
      resume: async (owner, resume) => {
        requests += 1;
        return real.resume(owner, { ...resume, requestId: `request ${requests}` });
      },
    };
  },
  // Treats every id in use as a repeated request.
  'refuses an id that is in use, and does not change its execution': (real) => ({
    create: async (execution, options) => {
      await real.create(execution, options);
      return 'created';
    },
  }),
  'returns with a claim only the entries that its checkpoint names, and later ones, and the data of the checkpoint':
    dropping('commit', 'checkpoint'),
  // Deletes the entries that a checkpoint leaves out.
  'keeps all entries and events for everyone who reads them': (real) => {
    let kept: readonly string[] | undefined;
    return {
      commit: async (commit) => {
        kept = commit.checkpoint?.entries ?? kept;
        return real.commit(commit);
      },
      journal: async (owner, id) =>
        (await real.journal(owner, id)).filter(({ path }) => kept?.includes(path) !== false),
    };
  },
  // Rewinds all paths with the same prefix.
  'deletes the records of a path, of the paths below it, and of its instances and decisions, and nothing else': (
    real,
  ) => ({
    rewind: async (owner, rewind) => {
      const journal = await real.journal(owner, rewind.executionId);
      const alike = journal
        .map(({ path }) => path)
        .filter((path) => rewind.paths.some((from) => path.startsWith(from)));
      return real.rewind(owner, { ...rewind, paths: [...rewind.paths, ...alike] });
    },
  }),
  'changes the given states of the root and its sub-workflows, and no other': dropping('rewind', 'states'),
  // Rewinds although the execution has changed.
  'rewinds nothing when the execution has changed since, or does not exist': (real) => ({
    rewind: async (owner, rewind) => {
      const { seq = 0, signals = 0 } = (await real.find(owner, rewind.executionId)) ?? {};
      return real.rewind(owner, { ...rewind, expectedSeq: seq, expectedSignals: signals });
    },
  }),
  // Writes the events of a termination only for the root.
  'ends an execution at once when it is terminated, with its open sub-workflows and their events': passing(
    'terminate',
    (owner, id, termination) => [owner, id, { [id]: termination[id] ?? [] }],
  ),
  // Renews the lease of an execution that was terminated.
  'fences the runner of a terminated execution': (real) => {
    const terminated = new Set<string>();
    return {
      terminate: async (owner, id, termination) => {
        terminated.add(id);
        return real.terminate(owner, id, termination);
      },
      renew: async (held, lease) => (await real.renew(held, lease)).filter((id) => !terminated.has(id)),
    };
  },
  // Terminates only executions that a runner can claim.
  'terminates an execution whose definition no process has, and lets it be purged': (real) => ({
    terminate: async (owner, id, termination) => {
      const isKnown = (await real.find(owner, id))?.definition === 'orders';
      return isKnown ? real.terminate(owner, id, termination) : 'not-found';
    },
  }),
  'terminates no execution that has ended, is unknown, is of another user, or is a sub-workflow': passing(
    'terminate',
    (_owner, id, termination) => ['anyone', id, termination],
  ),
  'names the definitions for which each runner with a lease has asked': returning('runners', (result) =>
    result.map(({ definitions: _, ...runner }) => runner),
  ),
  // Makes sleeping executions due at once.
  'releases the lease, and grants no claim before the execution is due': (real) => ({
    commit: async (commit) => {
      if (commit.release === undefined || commit.release.dueAt === null) return real.commit(commit);
      return real.commit({ ...commit, release: { ...commit.release, dueAt: 0 } });
    },
  }),
  'counts the claims in a row without a commit': returning('claim', (claimed) => ({
    ...claimed,
    claimsWithoutCommit: 1,
  })),
  'quarantines an execution after its lease, with its suspension and events, until it is resumed': setting(
    'quarantine',
    { minClaims: 0 },
  ),
};
