import { type Arbitrary, constantFrom, integer, option, record } from 'fast-check';
import { claimCall, hour, lasting, type Operation } from './operation.ts';
import { hours, rootId } from './sample-values.ts';

/** Which definitions a process has, and by which each is replaced. */
const replacements: readonly Readonly<Record<string, string>>[] = [
  { orders: 'orders' },
  { orders: 'new\0', 'new\0': 'new\0' },
  {},
];

/** Of the processes. */
export const runner: Arbitrary<string> = constantFrom('p-1', 'p\0');

export const claim: Arbitrary<Operation> = record({
  id: rootId,
  runner,
  leaseHours: hours,
  definitions: option(constantFrom<Readonly<Record<string, string>>>(...replacements), { nil: undefined, freq: 3 }),
}).map(
  ({ definitions, id, leaseHours, runner: by }): Operation =>
    async ({ number }) =>
      claimCall(id, by, lasting(leaseHours, number), {
        ...(definitions !== undefined && { definitions }),
      }),
);

/** Without back-offs, whose durations differ: an execution is exhausted before its first. */
export const claimNext: Arbitrary<Operation> = record({
  runner,
  leaseHours: hours,
  maxClaims: integer({ min: 1, max: 2 }),
  limit: integer({ min: 1, max: 3 }),
  freeSlots: option(integer({ min: 1, max: 4 }), { nil: undefined }),
  definitions: constantFrom<Readonly<Record<string, string>>>(...replacements, { orders: 'orders', mails: 'mails' }),
}).map(({ freeSlots, leaseHours, runner: by, ...given }): Operation => async ({ number }) => {
  const options = { ...given, ...(freeSlots !== undefined && { freeSlots }) };
  const lease = { runner: by, leaseMs: lasting(leaseHours, number) };
  return {
    method: 'claimNext',
    parameters: [lease, options],
    answer: async (store) => {
      const { claimed, exhausted, hasLeftOut, nextDueInMs = -hour } = await store.claimNext(lease, options);
      return { claimed, exhausted, hasLeftOut, next: Math.ceil(nextDueInMs / hour) };
    },
  };
});
