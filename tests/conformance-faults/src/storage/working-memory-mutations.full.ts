import { ConformanceError, workingMemoryStoreCases, type WorkingMemoryStoreHarness } from '@halyard/conformance';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { clonedMemoryFaults } from './cloned-memory-faults.ts';
import { failureOf } from './failure-of.ts';
import { faulty } from './faulty.ts';
import { type WorkingMemoryFault, workingMemoryFaults } from './working-memory-faults.ts';

const mutations = [...workingMemoryFaults, ...clonedMemoryFaults];

it.each(mutations)('the suite finds a working memory store that %s', async (_fault, foundBy, fault) => {
  expect(await failureOf(workingMemoryStoreCases, foundBy, opened(fault))).toBeInstanceOf(ConformanceError);
});

it('has only cases that find at least one fault', () => {
  const found = new Set(mutations.map(([, foundBy]) => foundBy));
  expect(workingMemoryStoreCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

function opened(fault: WorkingMemoryFault[2]): WorkingMemoryStoreHarness {
  const storage = createInMemoryStorage();
  const { conversations = {}, workingMemory = {} } = fault(storage);
  return {
    storage: {
      conversations: faulty(storage.conversations, conversations),
      workingMemory: faulty(storage.workingMemory, workingMemory),
    },
  };
}
