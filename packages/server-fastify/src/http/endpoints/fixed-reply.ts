import type { IncomingHttpHeaders } from 'node:http';
import { type ContentCoding, contentCodings, type FixedText } from '../../runtime/services/fixed-text.ts';

interface FixedReply {
  readonly status: 200 | 304;
  readonly payload: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The reply with a text: 304 if the client has it, else in the coding that the client prefers. */
export async function fixedReply(text: FixedText, request: IncomingHttpHeaders): Promise<FixedReply> {
  const headers = { etag: text.etag };
  if (names(request['if-none-match'], text.etag)) return { status: 304, payload: '', headers };
  const coding = preferredCoding(request['accept-encoding']);
  if (coding === undefined) return { status: 200, payload: text.text, headers };
  return { status: 200, payload: await text.encoded(coding), headers: { ...headers, 'content-encoding': coding } };
}

/** Compares weakly, as RFC 9110 (13.1.2) requires for this header. */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''));
}

/** The coding with the greatest weight (RFC 9110, 12.5.3); undefined for none. */
function preferredCoding(accepted = ''): ContentCoding | undefined {
  const weights = new Map(accepted.split(',').map(readWeight));
  const weightFor = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = contentCodings.toSorted((one, other) => weightFor(other) - weightFor(one));
  const isAccepted = best !== undefined && weightFor(best) > 0 && weightFor(best) >= (weights.get('identity') ?? 0);
  return isAccepted ? best : undefined;
}

/** `gzip;q=0.5` → `['gzip', 0.5]`. A weight that is not a number counts as 0. */
function readWeight(item: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return [coding, Number.isNaN(weight) ? 0 : weight];
}
