import type { FaultTable } from '../faults.ts';
import { passing, dropping, type ExecutionFault } from './execution-fault.ts';

/** Faults of a creation with a claim. */
export const createdClaimFaults: FaultTable<ExecutionFault> = {
  'claims an execution with its creation, and returns everything that its runner needs': dropping('create', 'claim'),
  'gives nobody else an execution that was claimed with its creation, until the lease of its runner ends': passing(
    'create',
    (execution, { claim, ...options }) => [
      execution,
      { ...options, ...(claim !== undefined && { claim: { ...claim, leaseMs: 0 } }) },
    ],
  ),
  // Claims an execution whose creation is repeated.
  'returns a claim once: a repeated creation gives it to no runner': (real) => ({
    create: async (execution, options) => {
      const outcome = await real.create(execution, options);
      if (outcome !== 'created' || options.claim === undefined) return outcome;
      return (await real.claim(execution.id, options.claim)) ?? outcome;
    },
  }),
  'claims with its creation no execution that is due later, has a concurrency key or is refused': (
    ['dueInMs', 'debounce', 'concurrency', 'throttle', 'singleton', 'maxWaiting'] as const
  ).map((name) =>
    passing('create', (execution, { [name]: option, ...options }) => [
      execution,
      options.claim === undefined ? { ...options, [name]: option } : options,
    ]),
  ),
};
