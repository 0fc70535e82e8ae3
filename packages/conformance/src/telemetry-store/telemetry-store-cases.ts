import { forgetCases } from './forget-cases.ts';
import { listCases } from './list-cases.ts';
import { logCases } from './log-cases.ts';
import { metricCases } from './metric-cases.ts';
import { metricGroupCases } from './metric-group-cases.ts';
import { metricOutcomeCases } from './metric-outcome-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { searchCases } from './search-cases.ts';
import { sizeCases } from './size-cases.ts';
import type { TelemetryStoreCase } from './telemetry-store-harness.ts';
import { traceCases } from './trace-cases.ts';
import { valueCases } from './value-cases.ts';
import { writeCases } from './write-cases.ts';

/** The required behaviour of every telemetry store. */
export const telemetryStoreCases: readonly TelemetryStoreCase[] = [
  ...writeCases,
  ...traceCases,
  ...listCases,
  ...searchCases,
  ...logCases,
  ...sizeCases,
  ...metricCases,
  ...metricGroupCases,
  ...metricOutcomeCases,
  ...ownerCases,
  ...forgetCases,
  ...valueCases,
];
