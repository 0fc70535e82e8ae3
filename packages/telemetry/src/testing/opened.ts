import type { OpenRecorder } from '@halyard/contracts';
import { openTelemetry } from '../open-telemetry.ts';
import { ReceivedSpans } from './received-spans.ts';

export interface Opened extends OpenRecorder {
  readonly received: ReceivedSpans;
  readonly warnings: { readonly fields: object; readonly message: string }[];
}

/**
 * A recorder as a server creates it. Its clock advances by a second each time it is read. A busy
 * machine does not reach its time limit.
 */
export async function opened(
  options: Parameters<typeof openTelemetry>[0] = {},
  recordsContent = true,
): Promise<Opened> {
  const received = new ReceivedSpans();
  const warnings: { readonly fields: object; readonly message: string }[] = [];
  const warn = (fields: object, message: string): void => void warnings.push({ fields, message });
  let now = 1_790_000_000_000;
  const open = await openTelemetry({ closeTimeoutMs: 60_000, ...options }).createRecorder({
    sink: received,
    recordsContent,
    clock: { now: () => (now += 1000) },
    logger: { warn, error: warn },
    resource: { 'service.name': 'shop', 'service.version': '1.2.3' },
  });
  return { ...open, received, warnings };
}
