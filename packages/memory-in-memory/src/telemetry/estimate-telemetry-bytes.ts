import type { LogRecord, SpanRecord } from '@halyard/contracts';
import { estimateBytes } from '../estimate-bytes.ts';

/** The record, its ids, and its places in the indexes. */
const bytesPerSpan = 900;
const bytesPerEvent = 200;
const bytesPerLog = 350;

/**
 * Roughly how much memory a span takes, without values that many spans share, such as the resource.
 */
export function estimateSpanBytes({ attributes, describeBytes = 0, events, links, name, status }: SpanRecord): number {
  let bytes = bytesPerSpan + name.length + estimateBytes(attributes) + describeBytes + (status.message?.length ?? 0);
  for (const event of events) bytes += bytesPerEvent + event.name.length + estimateBytes(event.attributes);
  for (const link of links) bytes += bytesPerEvent + estimateBytes(link.attributes);
  return bytes;
}

/** Roughly how much memory a log line takes. */
export function estimateLogBytes({ body, attributes }: LogRecord): number {
  return bytesPerLog + body.length + estimateBytes(attributes);
}
