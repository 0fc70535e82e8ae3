import type { TelemetryStore } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs from an adapter. */
export interface TelemetryStoreHarness {
  /** Empty, and keeping what is of the days around {@link sampleTime}. */
  readonly store: TelemetryStore;
}

export type TelemetryStoreCase = ConformanceCase<TelemetryStoreHarness>;
