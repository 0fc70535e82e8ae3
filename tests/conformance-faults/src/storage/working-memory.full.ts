import { workingMemoryStoreCases } from '@halyard/conformance';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { faulty } from '../faults.ts';
import { provesAllCases } from '../proves-cases.ts';
import { clonedMemoryFaults } from './cloned-memory-faults.ts';
import { workingMemoryFaults } from './working-memory-faults.ts';

provesAllCases(workingMemoryStoreCases, [workingMemoryFaults, clonedMemoryFaults], (fault) => {
  const storage = createInMemoryStorage();
  const { conversations = {}, workingMemory = {} } = fault(storage);
  return {
    storage: {
      conversations: faulty(storage.conversations, conversations),
      workingMemory: faulty(storage.workingMemory, workingMemory),
    },
  };
});
