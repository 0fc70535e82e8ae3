import type { TelemetryStore } from '@halyard/contracts';
import type { Services } from '../define/services.ts';

/** What has been recorded by now, this moment's included; undefined where nothing is. */
export async function readTelemetry({ telemetry }: Pick<Services, 'telemetry'>): Promise<TelemetryStore | undefined> {
  await telemetry?.flush();
  return telemetry?.store;
}
