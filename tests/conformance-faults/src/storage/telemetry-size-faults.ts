import type { TelemetryStore } from '@halyard/contracts';
import type { FaultTable } from '../faults.ts';
import { dropping, passing, type TelemetryFault } from './telemetry-fault.ts';

/** Faults of how much is read at once. */
export const telemetrySizeFaults: FaultTable<TelemetryFault> = {
  'finds a part of the spans of a trace': passing('findTrace', (owner, id) => [owner, id]),
  [endOf('findTrace')]: dropping('findTrace', 'maxBytes'),
  [endOf('listTraces')]: dropping('listTraces', 'maxBytes'),
  [endOf('listSpans')]: dropping('listSpans', 'maxBytes'),
  [endOf('listLogs')]: dropping('listLogs', 'maxBytes'),
};

function endOf(method: keyof TelemetryStore): string {
  return `ends a page of ${method} where it would have more than \`maxBytes\`, but not before its first record`;
}
