import {
  type ApprovalDecision,
  type ApprovalStore,
  approverKeysOfUser,
  type OpenApproval,
  type User,
} from '@halyard/contracts';
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
  {
    name: 'replaces an open request that asks others, unless it was used',
    run: async ({ store, now }) => {
      const asks = (approver: string, round?: number): Promise<void> => {
        const request = openApproval('again', { approvers: [approver], tenantId: null }, now(), 1);
        return store.open({ ...request, ...(round !== undefined && { round }) });
      };
      const asked = async (): Promise<readonly string[]> => {
        const lists = ['bob', 'eve', 'lee'].map(async (id) =>
          (await store.listOpen(approverKeysOfUser({ id }, id), 9)).length > 0 ? [id] : [],
        );
        const found = (await store.find('again'))?.rules.approvers ?? [];
        return [...(await Promise.all(lists)).flat(), ...found];
      };
      await asks('eve', 1);
      checkEqual(await asked(), [], 'Who is asked again before the first time');
      await asks('bob');
      await asks('eve', 1);
      checkEqual(await asked(), ['eve', 'eve'], 'Who is asked in the second round');
      await asks('lee', 1);
      await asks('lee');
      checkEqual(await asked(), ['eve', 'eve'], 'Who is asked after repeated rounds');
      await asks('lee', 2);
      checkEqual(await asked(), ['lee', 'lee'], 'Who is asked in the third round');
      await store.consume('again', now() + minute);
      await asks('bob', 3);
      checkEqual(await asked(), [], 'Who is asked after the use');
    },
  },
  {
    name: 'lists open requests for those who may answer them, the newest first',
    run: async ({ store, now }) => {
      const requests = [
        openApproval('for-bob', { approvers: ['bob'], tenantId: null }, now(), 1),
        openApproval('for-managers', { approvers: ['role:manager', 'eve'], tenantId: 'acme' }, now(), 2),
        openApproval('for-acme', { approvers: ['tenant:acme'], tenantId: null }, now(), 3),
        openApproval('for-others', { approvers: ['role:manager'], tenantId: 'globex' }, now(), 4),
      ];
      for (const request of requests) await store.open(request);
      const listFor = async (user: User, id: string): Promise<readonly string[]> =>
        (await store.listOpen(approverKeysOfUser(user, id), 10)).map((request) => request.id);
      checkEqual(await listFor({}, 'bob'), ['for-bob'], 'The requests for bob');
      checkEqual(
        await listFor({ roles: ['manager'], tenantId: 'acme' }, 'kim'),
        ['for-acme', 'for-managers'],
        'The requests for a manager of acme',
      );
      checkEqual(await listFor({ roles: ['manager'] }, 'kim'), [], 'The requests for a manager without a tenant');
      checkEqual(await listFor({ tenantId: 'acme' }, 'eve'), ['for-acme', 'for-managers'], 'The requests for eve');
      checkEqual(await listFor({ tenantId: 'globex' }, 'eve'), [], 'The requests for the eve of another tenant');
      checkEqual(
        (await store.listOpen(approverKeysOfUser({ tenantId: 'acme' }, 'eve'), 1)).map(({ id }) => id),
        ['for-acme'],
        'The newest',
      );
      checkEqual(
        (await store.listOpen(approverKeysOfUser({ tenantId: 'acme' }, 'eve'), 1, 1)).map(({ id }) => id),
        ['for-managers'],
        'The one after the newest',
      );
      checkEqual(await store.find('for-managers'), requests[1], 'A request that is found');
      checkEqual(await store.find('unknown'), undefined, 'An unknown request');
    },
  },
  {
    name: 'opens a request once, until it is used',
    run: async ({ store, now }) => {
      const first = openApproval('once', { approvers: ['bob-once'], tenantId: null }, now(), 1);
      await store.open(first);
      await store.open({ ...first, agentId: 'another' });
      checkEqual(await store.find('once'), first, 'The request after a second call');
      await store.consume('once', first.expiresAt);
      checkEqual(await store.find('once'), undefined, 'The request after its use');
      checkEqual(await store.listOpen(approverKeysOfUser({}, 'bob-once'), 10), [], 'The list after its use');
    },
  },
  {
    name: 'finds the work of sub-agents that waits, which is listed for nobody',
    run: async ({ store, now }) => {
      const delegation = { call: { toolCallId: 'd1' }, entries: { 'step-0/model': [unstorableText, null, 1.5, {}] } };
      const waiting = { ...openApproval('d:0', { approvers: [], tenantId: null }, now(), 1), delegation };
      await store.open(waiting);
      checkEqual(await store.find('d:0'), waiting, 'The work');
      checkEqual(await store.listOpen(approverKeysOfUser({ id: 'ada' }, 'ada'), 9), [], 'The list of a user');
    },
  },
  {
    name: 'finds no request that has expired, and purges it',
    run: async ({ store, now, advance }) => {
      await store.open(openApproval('late', { approvers: ['bob-late'], tenantId: null }, now(), 1));
      await advance(30 * minute);
      checkEqual(await store.find('late'), undefined, 'The request');
      checkEqual(await store.listOpen(approverKeysOfUser({}, 'bob-late'), 10), [], 'The list');
      await forgetAll(store);
      const again = openApproval('late', { approvers: ['bob-late'], tenantId: null }, now(), 1);
      await store.open(again);
      checkEqual(await store.find('late'), again, 'Another request with its id');
    },
  },
  {
    name: 'adds one decision of each person, until a quorum or a denial',
    run: async ({ store, now }) => {
      const options = { quorum: 2, expiresAt: now() + minute };
      const decide = (id: string, userId: string | null, approved = true): Promise<readonly ApprovalDecision[]> =>
        store.decide(
          id,
          { userId, approved, decidedAt: 5, reason: hostileText, data: { pages: [3, unstorableText] } },
          options,
        );
      const of = (decisions: readonly ApprovalDecision[]): readonly unknown[] => decisions.map(({ userId }) => userId);
      checkEqual(of(await decide('quorum', 'bob')), ['bob'], 'The decisions after the first');
      checkEqual(of(await decide('quorum', 'bob', false)), ['bob'], 'The decisions after another of the same person');
      const both = await decide('quorum', null);
      checkEqual(
        both,
        ['bob', null].map((userId) => ({
          userId,
          approved: true,
          decidedAt: 5,
          reason: hostileText,
          data: { pages: [3, unstorableText] },
        })),
        'The decisions at the quorum',
      );
      checkEqual(of(await decide('quorum', 'eve')), ['bob', null], 'The decisions after the quorum');
      checkEqual(of(await decide('denied', 'eve', false)), ['eve'], 'The decisions with a denial');
      checkEqual(of(await decide('denied', 'bob')), ['eve'], 'The decisions after a denial');
    },
  },
  {
    name: 'returns the decisions until they expire',
    run: async ({ store, now, advance }) => {
      const options = { quorum: 2, expiresAt: now() + 20 * minute };
      checkEqual(await store.decisions('returned'), [], 'The decisions about a request without any');
      await store.decide('returned', { userId: 'bob', approved: true, decidedAt: 5 }, options);
      await store.decide('returned', { userId: null, approved: false, decidedAt: 6, reason: hostileText }, options);
      checkEqual(
        await store.decisions('returned'),
        [
          { userId: 'bob', approved: true, decidedAt: 5 },
          { userId: null, approved: false, decidedAt: 6, reason: hostileText },
        ],
        'The decisions',
      );
      await advance(30 * minute);
      checkEqual(await store.decisions('returned'), [], 'The decisions after their expiry');
    },
  },
  {
    name: 'completes the decisions of many at once exactly once',
    run: async ({ store, now }) => {
      const options = { quorum: 2, expiresAt: now() + minute };
      const all = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const userId = `user-${index}`;
          return { userId, decisions: await store.decide('many', { userId, approved: true, decidedAt: 1 }, options) };
        }),
      );
      const counted = all.filter(({ decisions, userId }) => decisions.some((one) => one.userId === userId));
      checkEqual(counted.length, 2, 'How many decisions count');
    },
  },
];

function openApproval(id: string, rules: OpenApproval['rules'], now: number, order: number): OpenApproval {
  return {
    id,
    agentId: 'clerk',
    conversationId: hostileText,
    userId: 'ada',
    user: { id: 'ada', name: unstorableText },
    rules,
    createdAt: now + order,
    expiresAt: now + 20 * minute,
  };
}

async function forgetAll(store: ApprovalStore): Promise<void> {
  for (let rounds = 0; rounds < 9; rounds += 1) await store.purge(100);
}
