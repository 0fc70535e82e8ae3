import type { Attributes, JsonValue, Recorder, Span } from '@halyard/contracts';
import { RecordedSpan } from '../telemetry/recorded-span.ts';

const greatestLength = 32 * 1024;

/** Tells what went in or came out, where that is recorded. A span that is kept here makes the text of it when it is written. */
export function setContent(span: Span, { recordsContent }: Recorder, name: string, value: JsonValue): void {
  if (!recordsContent || !span.isRecording) return;
  const make = (): Attributes => ({ [name]: contentText(value) });
  if (span instanceof RecordedSpan) span.setLater(make);
  else span.setAttributes(make());
}

function contentText(value: JsonValue): string {
  const text = JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? shortened(inner) : inner));
  return text.length <= greatestLength ? text : `${text.slice(0, greatestLength)}…`;
}

function shortened(text: string): string {
  if (text.length < 64 || !text.startsWith('data:')) return text;
  const [mediaType = ''] = text.slice('data:'.length, 256).split(/[;,]/, 1);
  return `[data of ${mediaType === '' ? 'no type' : mediaType}, ${text.length} characters]`;
}
