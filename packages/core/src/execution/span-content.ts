import type { JsonValue, Recorder, Span } from '@halyard/contracts';
import { boundedText } from '../telemetry/bounded-json.ts';
import { setLater } from '../telemetry/set-later.ts';

/** Tells what went in or came out, where that is recorded. What an execution holds does not change: it can be told later. */
export function setContent(span: Span, { recordsContent }: Recorder, name: string, value: JsonValue): void {
  if (recordsContent && span.isRecording) setLater(span, () => ({ [name]: boundedText(value) }));
}
