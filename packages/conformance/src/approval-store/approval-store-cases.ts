import type { ApprovalStore } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import { hostileText, unstorableText } from '../sample-values.ts';
import type { ApprovalStoreCase } from './approval-store-harness.ts';

const minute = 60_000;

/** The cases of every approval store. */
export const approvalStoreCases: readonly ApprovalStoreCase[] = [
  {
    name: 'accepts an approval once',
    run: async ({ store, now }) => {
      const expiresAt = now() + minute;
      const answers = [];
      for (const id of ['a', 'b', 'a', 'b', 'a']) answers.push(await store.consume(id, expiresAt));
      checkEqual(answers, [true, true, false, false, false], 'The answers');
    },
  },
  {
    name: 'accepts one of several concurrent answers, for each of many approvals',
    run: async ({ store, now }) => {
      const expiresAt = now() + minute;
      const ids = Array.from({ length: 40 }, (_, index) => `approval-${index % 4}`);
      const answers = await Promise.all(ids.map(async (id) => [id, await store.consume(id, expiresAt)] as const));
      const accepted = answers.flatMap(([id, isFirst]) => (isFirst ? [id] : []));
      checkEqual(accepted.toSorted(), ['approval-0', 'approval-1', 'approval-2', 'approval-3'], 'What was accepted');
    },
  },
  {
    name: 'stores a used approval until it expires, whatever expires before or after it',
    run: async ({ store, now, advance }) => {
      const start = now();
      for (const [id, minutes] of [
        ['late', 30],
        ['early', 2],
        ['latest', 60],
        ['earliest', 1],
      ] as const) {
        await store.consume(id, start + minutes * minute);
      }
      await advance(10 * minute);
      await forgetAll(store);
      checkEqual(await store.consume('late', start + 30 * minute), false, 'Whether the later one is accepted again');
      checkEqual(await store.consume('latest', start + 60 * minute), false, 'Whether the latest is');
      await advance(30 * minute);
      await forgetAll(store);
      checkEqual(await store.consume('latest', start + 60 * minute), false, 'Whether the latest is after all others');
    },
  },
  {
    name: 'does not change the expiry of a used approval when it is used again',
    run: async ({ store, now, advance }) => {
      const start = now();
      await store.consume('a', start + 20 * minute);
      checkEqual(await store.consume('a', start + minute), false, 'Whether it is accepted again');
      await advance(10 * minute);
      await forgetAll(store);
      checkEqual(await store.consume('a', start + 20 * minute), false, 'Whether it is accepted after the shorter time');
    },
  },
  {
    name: 'purges expired approvals, at most as many as requested',
    run: async ({ store, now, advance }) => {
      const start = now();
      checkEqual(await store.purge(9), 0, 'The number forgotten by an empty store');
      await store.consume('late', start + 60 * minute);
      for (let index = 0; index < 5; index += 1) await store.consume(`early-${index}`, start + (5 - index) * minute);
      checkEqual(await store.purge(9), 0, 'The number forgotten before anything has expired');
      await advance(30 * minute);
      let forgotten = 0;
      for (let rounds = 0; rounds < 9; rounds += 1) {
        const count = await store.purge(2);
        check(count >= 0 && count <= 2, `A purge of 2 should forget no more than those, but forgets ${count}`);
        forgotten += count;
      }
      check(forgotten <= 5, `No more than the 5 that have expired should be forgotten, but ${forgotten} were`);
      checkEqual(await store.consume('late', start + 60 * minute), false, 'Whether the later one is accepted again');
      for (let index = 0; index < 5; index += 1) {
        checkEqual(
          await store.consume(`early-${index}`, start + 60 * minute),
          true,
          `Whether early-${index} was forgotten`,
        );
      }
    },
  },
  {
    name: 'accepts ids with any characters',
    run: async ({ store, now }) => {
      const expiresAt = now() + minute;
      const ids = ['AZaz09_.:-', 'x'.repeat(255), '__proto__', hostileText, unstorableText, ' a ', 'a', 'A', 'a%', ''];
      for (const id of ids) checkEqual(await store.consume(id, expiresAt), true, `Whether "${id}" is accepted`);
      for (const id of ids) checkEqual(await store.consume(id, expiresAt), false, `Whether "${id}" is accepted again`);
    },
  },
];

async function forgetAll(store: ApprovalStore): Promise<void> {
  for (let rounds = 0; rounds < 9; rounds += 1) await store.purge(100);
}
