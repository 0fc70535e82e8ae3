import { telemetryStoreCases } from '@halyard/conformance';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import { faulty } from '../faults.ts';
import { provesAllCases } from '../proves-cases.ts';
import { telemetryListFaults } from './telemetry-list-faults.ts';
import { telemetryMetricFaults } from './telemetry-metric-faults.ts';
import { telemetrySizeFaults } from './telemetry-size-faults.ts';
import { telemetryWriteFaults } from './telemetry-write-faults.ts';

const faults = [telemetryWriteFaults, telemetryListFaults, telemetrySizeFaults, telemetryMetricFaults];

provesAllCases(telemetryStoreCases, faults, (fault) => {
  const store = createInMemoryTelemetryStore();
  return { store: faulty(store, fault(store)) };
});
