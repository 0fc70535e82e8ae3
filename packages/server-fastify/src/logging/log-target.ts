import type { Recording } from '../telemetry/open-recording.ts';
import type { LogTarget } from './log-records.ts';

/** Lines are kept beside the spans, and sent where those go. */
export function logTarget(recording: Recording | undefined): LogTarget | undefined {
  if (recording === undefined) return undefined;
  const { exportLog, recorder, telemetry } = recording;
  return { sink: telemetry, exportLog, active: () => recorder.active() };
}
