import type { TelemetryStore } from '@halyard/contracts';
import type { Services } from '../../services/services.ts';

/** The telemetry store, with everything recorded so far flushed to it; undefined if recording is off. */
export async function readTelemetry({ telemetry }: Pick<Services, 'telemetry'>): Promise<TelemetryStore | undefined> {
  await telemetry?.flush();
  return telemetry?.store;
}
