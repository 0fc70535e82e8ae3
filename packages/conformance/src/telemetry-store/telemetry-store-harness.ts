import type { TelemetryStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface TelemetryStoreHarness {
  /** An empty store that accepts times around {@link sampleTime}. */
  readonly store: TelemetryStore;
}

export type TelemetryStoreCase = ConformanceCase<TelemetryStoreHarness>;
