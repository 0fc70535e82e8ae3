import { auditLogCases } from '@halyard/conformance';
import type { AuditLog, AuditRecord } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { type Fault, type FaultTable, faulty, wrappersOf } from '../faults.ts';
import { provesAllCases } from '../proves-cases.ts';

const { dropping, passing, returning } = wrappersOf<AuditLog>();

const faults: FaultTable<Fault<AuditLog>> = {
  'returns records as they were added, the greatest id first': [
    returning('list', (records) => records.toReversed()),
    returning('list', (records) => records.map(({ detail: _, ...others }) => others)),
    returning('list', (records) =>
      records.toSorted((one, other) => other.id.toLowerCase().localeCompare(one.id.toLowerCase())),
    ),
    passing('append', (record) => [{ ...record, action: record.action.trim().replaceAll("'", '') }]),
  ],
  // Replaces the first.
  'adds a record once, whatever a second call with its id says': () => {
    const records = new Map<string, AuditRecord>();
    return {
      append: async (record) => void records.set(record.id, { ...record, outcome: null }),
      settle: async () => {},
      list: async () => [...records.values()],
    };
  },
  'adds one outcome to a record': [
    () => ({ settle: async () => {} }),
    returning('list', (records) => records.map((record) => ({ ...record, outcome: { at: 6, errorCode: null } }))),
  ],
  'filters by actor, action, target and time': [
    dropping('list', 'actor'),
    dropping('list', 'action'),
    dropping('list', 'target'),
    dropping('list', 'from'),
    dropping('list', 'to'),
  ],
  'continues a list after an id': [dropping('list', 'after'), passing('list', (filter) => [{ ...filter, limit: 9 }])],
  'purges records before a time, the oldest first, at most as many as requested': [
    () => ({ purge: async () => 0 }),
    passing('purge', (before) => [before, 100]),
    passing('purge', (before, limit) => [before + 1, limit]),
  ],
  // Takes them for data of the user.
  'keeps the records that name a user whose data is deleted': returning('list', (records) =>
    records.filter(({ target }) => target.userId !== 'ada'),
  ),
};

provesAllCases(auditLogCases, [faults], (fault) => {
  const storage = createInMemoryStorage();
  return { storage: { audit: faulty(storage.audit, fault(storage.audit)), users: storage.users } };
});
