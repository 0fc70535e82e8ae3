import { ConformanceError, userDataCases } from '@halyard/conformance';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { failureOf } from './failure-of.ts';
import { faulty } from './faulty.ts';
import { userDataFaults } from './user-data-faults.ts';

it.each(userDataFaults)('the suite finds a storage that %s', async (_fault, foundBy, fault) => {
  const storage = createInMemoryStorage();
  const users = faulty(storage.users, fault(storage));
  expect(await failureOf(userDataCases, foundBy, { storage: { ...storage, users } })).toBeInstanceOf(ConformanceError);
});

it('has only cases that find at least one fault', () => {
  const found = new Set(userDataFaults.map(([, foundBy]) => foundBy));
  expect(userDataCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
