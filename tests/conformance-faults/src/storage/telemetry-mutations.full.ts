import { ConformanceError, telemetryStoreCases } from '@halyard/conformance';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { failureOf } from './failure-of.ts';
import { faulty } from './faulty.ts';
import { telemetryListFaults } from './telemetry-list-faults.ts';
import { telemetryMetricFaults } from './telemetry-metric-faults.ts';
import { telemetrySizeFaults } from './telemetry-size-faults.ts';
import { telemetryWriteFaults } from './telemetry-write-faults.ts';

const mutations = [...telemetryWriteFaults, ...telemetryListFaults, ...telemetrySizeFaults, ...telemetryMetricFaults];

it.each(mutations)('the suite finds a store of telemetry that %s', async (_fault, foundBy, fault) => {
  const store = createInMemoryTelemetryStore();
  const harness = { store: faulty(store, fault(store)) };
  expect(await failureOf(telemetryStoreCases, foundBy, harness)).toBeInstanceOf(ConformanceError);
});

it('has only cases that find at least one fault', () => {
  const found = new Set(mutations.map(([, foundBy]) => foundBy));
  expect(telemetryStoreCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
