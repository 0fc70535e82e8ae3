import { vectorStoreCases } from '@halyard/conformance';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { faulty } from '../faults.ts';
import { provesAllCases } from '../proves-cases.ts';
import { vectorFaults } from './vector-faults.ts';
import { vectorWriteFaults } from './vector-write-faults.ts';

provesAllCases(vectorStoreCases, [vectorFaults, vectorWriteFaults], (fault) => {
  const store = createInMemoryVectorStore();
  return { store: faulty(store, fault(store)) };
});
