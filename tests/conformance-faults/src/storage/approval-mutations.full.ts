import { approvalStoreCases, ConformanceError } from '@halyard/conformance';
import type { ApprovalStore } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { pause } from './conversation-fault.ts';
import { failureOf } from './failure-of.ts';
import { faulty } from './faulty.ts';

type Fault = readonly [
  fault: string,
  foundBy: string,
  (store: ApprovalStore, now: () => number) => Partial<ApprovalStore>,
];

const once = 'accepts an approval once';
const purged = 'purges expired approvals, at most as many as requested';

const faults: readonly Fault[] = [
  ['accepts every approval', once, () => ({ consume: async () => true })],
  ['accepts no approval', once, () => ({ consume: async () => false })],
  [
    'checks whether an approval was used, and stores that later',
    'accepts one of several concurrent answers, for each of many approvals',
    (store) => {
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
  ],
  [
    'deletes all approvals when one has expired',
    'stores a used approval until it expires, whatever expires before or after it',
    () => {
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
  ],
  [
    'uses the expiry of the last call',
    'does not change the expiry of a used approval when it is used again',
    (_store, now) => {
      const expiries = new Map<string, number>();
      return {
        consume: async (id, expiresAt) => {
          const isFirst = (expiries.get(id) ?? 0) < now();
          expiries.set(id, expiresAt);
          return isFirst;
        },
      };
    },
  ],
  ['never deletes expired approvals', purged, () => withoutForgetting()],
  ['ignores the limit of a purge', purged, (store) => ({ purge: () => store.purge(100) })],
  [
    'returns a wrong count of purged approvals',
    purged,
    (store) => ({ purge: async (limit) => (await store.purge(limit)) + 1 }),
  ],
  [
    'trims ids',
    'accepts ids with any characters',
    (store) => ({ consume: (id, expiresAt) => store.consume(id.trim(), expiresAt) }),
  ],
  [
    'writes ids in small letters',
    'accepts ids with any characters',
    (store) => ({ consume: (id, expiresAt) => store.consume(id.toLowerCase(), expiresAt) }),
  ],
];

it.each(faults)('the suite finds an approval store that %s', async (_fault, foundBy, fault) => {
  let time = 1_750_000_000_000;
  const now = (): number => time;
  const { approvals } = createInMemoryStorage({ clock: { now } });
  const advance = (ms: number): void => {
    time += ms;
  };
  const store = faulty(approvals, fault(approvals, now));
  expect(await failureOf(approvalStoreCases, foundBy, { store, now, advance })).toBeInstanceOf(ConformanceError);
});

it('has only cases that find at least one fault', () => {
  const found = new Set(faults.map(([, foundBy]) => foundBy));
  expect(approvalStoreCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

function withoutForgetting(): Partial<ApprovalStore> {
  const used = new Set<string>();
  return {
    consume: async (id) => {
      const isFirst = !used.has(id);
      used.add(id);
      return isFirst;
    },
    purge: async () => 0,
  };
}
