import type { Recording } from '../telemetry/open-recording.ts';
import type { LogTarget } from './log-records.ts';

/** Stores log records together with the spans and exports them to the same place. */
export function logTarget(recording: Recording | undefined): LogTarget | undefined {
  if (recording === undefined) return undefined;
  const { exportLog, recorder, telemetry } = recording;
  return { sink: telemetry, exportLog, active: () => recorder.active() };
}
