import type { ClaimedExecution } from '@halyard/contracts';
import type { ExecutionFault } from './execution-fault.ts';

const complete = 'claims an execution with its creation, and returns everything that its runner needs';
const leased = 'gives nobody else an execution that was claimed with its creation, until the lease of its runner ends';
const once = 'returns a claim once: a repeated creation gives it to no runner';
const refused = 'claims with its creation no execution that is due later, has a concurrency key or is refused';

/** Stores whose creation with a claim has one fault each, and the case that must find it. */
export const createdClaimMutations: readonly ExecutionFault[] = [
  [
    'claims nothing with its creation',
    complete,
    (real) => ({ create: (execution, { claim: _, ...options }) => real.create(execution, options) }),
  ],
  [
    'returns what it claims with its creation without the journal',
    complete,
    (real) => ({
      create: async (execution, options) => {
        const outcome = await real.create(execution, options);
        return typeof outcome === 'object' ? { ...outcome, journal: [] } : outcome;
      },
    }),
  ],
  [
    'begins no lease for what it claims with its creation',
    leased,
    (real) => ({
      create: (execution, { claim, ...options }) =>
        real.create(execution, { ...options, ...(claim !== undefined && { claim: { ...claim, leaseMs: 0 } }) }),
    }),
  ],
  [
    'lets the lease of what it claims with its creation never end',
    leased,
    (real) => ({
      create: (execution, { claim, ...options }) =>
        real.create(execution, { ...options, ...(claim !== undefined && { claim: { ...claim, leaseMs: 1e12 } }) }),
    }),
  ],
  [
    'returns the claim again when the creation is repeated',
    once,
    (real) => {
      const claims = new Map<string, ClaimedExecution>();
      return {
        create: async (execution, options) => {
          const outcome = await real.create(execution, options);
          if (typeof outcome === 'object') claims.set(execution.id, outcome);
          return outcome === 'created' ? (claims.get(execution.id) ?? outcome) : outcome;
        },
      };
    },
  ],
  [
    'claims an execution whose creation is repeated',
    once,
    (real) => ({
      create: async (execution, options) => {
        const outcome = await real.create(execution, options);
        if (outcome !== 'created' || options.claim === undefined) return outcome;
        return (await real.claim(execution.id, options.claim)) ?? outcome;
      },
    }),
  ],
  ...(['dueInMs', 'debounce', 'concurrency', 'throttle', 'singleton', 'maxWaiting'] as const).map(
    (name): ExecutionFault => [
      `ignores the option ${name} of what it claims with its creation`,
      refused,
      (real) => ({
        create: (execution, options) => {
          const { [name]: _, ...others } = options;
          return real.create(execution, options.claim === undefined ? options : others);
        },
      }),
    ],
  ),
];
