import { userDataCases } from '@halyard/conformance';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { faulty } from '../faults.ts';
import { provesAllCases } from '../proves-cases.ts';
import { userDataFaults } from './user-data-faults.ts';

provesAllCases(userDataCases, [userDataFaults], (fault) => {
  const storage = createInMemoryStorage();
  return { storage: { ...storage, users: faulty(storage.users, fault(storage)) } };
});
