import type { AuditFilter, AuditLog, NewAuditRecord } from '@halyard/contracts';
import { checkEqual } from '../check.ts';
import { hostileText, sampleValues, unstorableText } from '../sample-values.ts';
import type { AuditLogCase } from './audit-log-harness.ts';

/** The cases of every audit log. */
export const auditLogCases: readonly AuditLogCase[] = [
  {
    name: 'returns records as they were added, the greatest id first',
    run: async ({ storage: { audit } }) => {
      const records = [
        record('a', { actor: actorNamed(unstorableText), action: hostileText }),
        record('c', { target: { executionId: unstorableText, conversationId: hostileText } }),
        record('B', { at: 9_007_199_254_740_991, detail: sampleValues }),
        record('b', { actor: { ...actorNamed(null), roles: ['manager', hostileText], tenantId: 'acme' } }),
      ];
      for (const one of records) await audit.append(one);
      const [a, c, upperB, b] = records.map((one) => ({ ...one, outcome: null }));
      checkEqual(await audit.list({ limit: 9 }), [c, b, a, upperB], 'The records');
    },
  },
  {
    name: 'adds a record once, whatever a second call with its id says',
    run: async ({ storage: { audit } }) => {
      await audit.append(record('a', { action: 'first' }));
      await audit.settle('a', { at: 5, errorCode: null });
      await Promise.all([1, 2, 3].map(() => audit.append(record('a', { action: 'second' }))));
      const [first, ...others] = await audit.list({ limit: 9 });
      checkEqual([first?.action, first?.outcome, others], ['first', { at: 5, errorCode: null }, []], 'The record');
    },
  },
  {
    name: 'adds one outcome to a record',
    run: async ({ storage: { audit } }) => {
      for (const id of ['a', 'b']) await audit.append(record(id));
      await audit.settle('a', { at: 5, errorCode: 'EXECUTION_NOT_FOUND' });
      await audit.settle('a', { at: 6, errorCode: null });
      await audit.settle('unknown', { at: 7, errorCode: null });
      const outcomes = (await audit.list({ limit: 9 })).map(({ id, outcome }) => [id, outcome]);
      checkEqual(
        outcomes,
        [
          ['b', null],
          ['a', { at: 5, errorCode: 'EXECUTION_NOT_FOUND' }],
        ],
        'The outcomes',
      );
    },
  },
  {
    name: 'filters by actor, action, target and time',
    run: async ({ storage: { audit } }) => {
      await audit.append(record('a', { at: 10, actor: actorNamed('ada'), action: 'execution.cancel' }));
      await audit.append(record('b', { at: 20, actor: actorNamed('Ada'), target: { executionId: 'run-1' } }));
      await audit.append(record('c', { at: 30, actor: actorNamed(null), target: { conversationId: 'run-1' } }));
      await audit.append(
        record('d', { at: 40, actor: actorNamed(unstorableText), target: { userId: 'ada', approvalId: 'run-10' } }),
      );
      const ids = idsOf(audit);
      checkEqual(await ids({ actor: 'ada' }), ['a'], 'The records of a user');
      checkEqual(await ids({ actor: unstorableText }), ['d'], 'The records of a user with any characters');
      checkEqual(await ids({ action: 'execution.cancel' }), ['a'], 'The records of an action');
      checkEqual(await ids({ target: 'run-1' }), ['c', 'b'], 'The records about an id');
      checkEqual(await ids({ target: 'ada' }), ['d'], 'The records about a user');
      checkEqual(await ids({ from: 20, to: 40 }), ['c', 'b'], 'The records from a time until before another');
      checkEqual(await ids({ target: 'run-1', actor: 'Ada', to: 21 }), ['b'], 'The records that match all');
    },
  },
  {
    name: 'continues a list after an id',
    run: async ({ storage: { audit } }) => {
      for (const id of ['a', 'b', 'c', 'd']) await audit.append(record(id, { target: { userId: 'ada' } }));
      const ids = idsOf(audit);
      checkEqual(await ids({ limit: 2 }), ['d', 'c'], 'The first page');
      checkEqual(await ids({ limit: 2, after: 'c', target: 'ada' }), ['b', 'a'], 'The second page');
      checkEqual(await ids({ after: 'a' }), [], 'The page after the last');
    },
  },
  {
    name: 'purges records before a time, the oldest first, at most as many as requested',
    run: async ({ storage: { audit } }) => {
      for (const [id, at] of Object.entries({ a: 30, b: 10, c: 20, d: 40 })) await audit.append(record(id, { at }));
      const ids = idsOf(audit);
      checkEqual(await audit.purge(40, 2), 2, 'How many it deletes');
      checkEqual(await ids({}), ['d', 'a'], 'The records that remain');
      checkEqual([await audit.purge(40, 2), await audit.purge(40, 2)], [1, 0], 'How many it deletes then');
      checkEqual(await ids({}), ['d'], 'The record of that time');
    },
  },
  {
    name: 'keeps the records that name a user whose data is deleted',
    run: async ({ storage: { audit, users } }) => {
      await audit.append(record('a', { actor: actorNamed('ada'), target: { userId: 'ada' } }));
      await users.delete('ada');
      checkEqual(await idsOf(audit)({}), ['a'], 'The records');
    },
  },
];

function idsOf(audit: AuditLog): (filter: Partial<AuditFilter>) => Promise<readonly string[]> {
  return async (filter) => (await audit.list({ limit: 9, ...filter })).map(({ id }) => id);
}

function record(id: string, fields: Partial<NewAuditRecord> = {}): NewAuditRecord {
  return { id, at: 1_000, actor: actorNamed('bob'), action: 'execution.retry', target: {}, ...fields };
}

function actorNamed(userId: string | null): NewAuditRecord['actor'] {
  return { userId, roles: [], tenantId: null, channel: 'token', address: '127.0.0.1' };
}
