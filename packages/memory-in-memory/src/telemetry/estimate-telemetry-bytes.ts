import type { Attributes, LogRecord, SpanRecord } from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';

/** The record, its ids, and its places in the indexes. */
const bytesPerSpan = 900;
const bytesPerEvent = 200;
const bytesPerLog = 350;

/** Roughly how much memory a span takes, without values that many spans share, such as the resource. */
export function estimateSpanBytes({ attributes, describeBytes = 0, events, links, name, status }: SpanRecord): number {
  let bytes = bytesPerSpan + name.length + attributesBytes(attributes) + describeBytes + (status.message?.length ?? 0);
  for (const event of events) bytes += bytesPerEvent + event.name.length + attributesBytes(event.attributes);
  for (const link of links) bytes += bytesPerEvent + attributesBytes(link.attributes);
  return bytes;
}

/** Roughly how much memory a log line takes. */
export function estimateLogBytes({ body, attributes }: LogRecord): number {
  return bytesPerLog + body.length + estimateBytes(attributes);
}

function attributesBytes(attributes: Attributes | undefined): number {
  return attributes === undefined ? 0 : estimateBytes(attributes);
}
