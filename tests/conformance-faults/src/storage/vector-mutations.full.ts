import { ConformanceError, vectorStoreCases } from '@halyard/conformance';
import { createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { failureOf } from './failure-of.ts';
import { faulty } from './faulty.ts';
import { vectorFaults } from './vector-faults.ts';
import { vectorWriteFaults } from './vector-write-faults.ts';

const mutations = [...vectorFaults, ...vectorWriteFaults];

it.each(mutations)('the suite finds a vector store that %s', async (_fault, foundBy, fault) => {
  const store = createInMemoryVectorStore();
  expect(await failureOf(vectorStoreCases, foundBy, { store: faulty(store, fault(store)) })).toBeInstanceOf(
    ConformanceError,
  );
});

it('has only cases that find at least one fault', () => {
  const found = new Set(mutations.map(([, foundBy]) => foundBy));
  expect(vectorStoreCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
