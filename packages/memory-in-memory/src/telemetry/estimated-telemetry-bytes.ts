import type { Attributes, LogRecord, SpanRecord } from '@halyard/contracts';
import { estimatedJsonBytes } from '../estimated-bytes.ts';

/** A record, its ids, and its places in a store. */
const bytesPerSpan = 900;
const bytesPerTie = 200;
const bytesPerLog = 350;
const bytesPerAttribute = 16;

/** About how much memory a span holds on to. What many spans share, such as the resource, is not counted. */
export function estimatedSpanBytes(span: SpanRecord): number {
  const { events, links, name, status } = span;
  let bytes = bytesPerSpan + name.length + attributesBytes(span.attributes);
  if (status.message !== undefined) bytes += status.message.length;
  // Most have none, and an iterator of nothing costs something too.
  if (events.length > 0)
    for (const event of events) bytes += bytesPerTie + event.name.length + attributesBytes(event.attributes);
  if (links.length > 0) for (const link of links) bytes += bytesPerTie + attributesBytes(link.attributes);
  return bytes;
}

/** About how much memory a line of a log holds on to. */
export function estimatedLogBytes({ body, attributes }: LogRecord): number {
  return bytesPerLog + body.length + estimatedJsonBytes(attributes);
}

function attributesBytes(attributes: Attributes | undefined): number {
  if (attributes === undefined) return 0;
  let bytes = 0;
  // Makes no list of the values: this is done for each span of a busy server.
  for (const name in attributes) {
    const value = attributes[name];
    bytes += bytesPerAttribute;
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object') bytes += estimatedJsonBytes(value);
  }
  return bytes;
}
