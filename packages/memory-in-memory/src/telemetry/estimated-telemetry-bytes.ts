import type { Attributes, LogRecord, SpanRecord } from '@halyard/contracts';
import { estimatedJsonBytes } from '../estimated-bytes.ts';

/** The record, its ids, and its places in the indexes. */
const bytesPerSpan = 900;
const bytesPerEvent = 200;
const bytesPerLog = 350;

/** About how much memory a span takes. What many spans share, such as the resource, is not counted. */
export function estimatedSpanBytes({ attributes, describeBytes = 0, events, links, name, status }: SpanRecord): number {
  let bytes = bytesPerSpan + name.length + attributesBytes(attributes) + describeBytes + (status.message?.length ?? 0);
  for (const event of events) bytes += bytesPerEvent + event.name.length + attributesBytes(event.attributes);
  for (const link of links) bytes += bytesPerEvent + attributesBytes(link.attributes);
  return bytes;
}

/** About how much memory a log line takes. */
export function estimatedLogBytes({ body, attributes }: LogRecord): number {
  return bytesPerLog + body.length + estimatedJsonBytes(attributes);
}

function attributesBytes(attributes: Attributes | undefined): number {
  return attributes === undefined ? 0 : estimatedJsonBytes(attributes);
}
