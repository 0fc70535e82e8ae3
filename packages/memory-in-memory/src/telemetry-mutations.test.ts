import { ConformanceError, telemetryStoreCases } from '@halyard/conformance';
import { expect, it } from 'vitest';
import { failureOf } from './planted-faults/failure-of.ts';
import { faulty } from './planted-faults/faulty.ts';
import { telemetryListFaults } from './planted-faults/telemetry-list-faults.ts';
import { telemetryWriteFaults } from './planted-faults/telemetry-write-faults.ts';
import { createInMemoryTelemetryStore } from './telemetry/in-memory-telemetry-store.ts';

const mutations = [...telemetryWriteFaults, ...telemetryListFaults];

it.each(mutations)('the suite finds a store of telemetry that %s', async (_fault, foundBy, fault) => {
  const store = createInMemoryTelemetryStore();
  const harness = { store: faulty(store, fault(store)) };
  expect(await failureOf(telemetryStoreCases, foundBy, harness)).toBeInstanceOf(ConformanceError);
});

it('has no case that finds none of them', () => {
  const found = new Set(mutations.map(([, foundBy]) => foundBy));
  expect(telemetryStoreCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
