import type { IncomingMessage } from 'node:http';
import { AbortedError, cutText, InvalidInputError, isHalyardError } from '@halyard/contracts';
import { type AddressCheck, checkedRequest } from '../../services/checked-request.ts';

/** Options of {@link downloadFile}. An app that sets `allowAddress` gives clients access to its own network. */
export interface DownloadFileOptions extends AddressCheck {
  readonly signal?: AbortSignal | undefined;
  /** Largest file in bytes; 10 MiB unless set. */
  readonly maxBytes?: number | undefined;
  /** Limit for everything together: name resolution, redirects and body; 10 s unless set. */
  readonly timeoutMs?: number | undefined;
  /** How many redirects are followed; 5 unless set. */
  readonly maxRedirects?: number | undefined;
}

export interface DownloadFileResult {
  readonly data: Uint8Array;
  /** Lower case and without parameters (`image/png`); undefined when the server sends none. */
  readonly mediaType: string | undefined;
}

/**
 * Fetches a file that a caller named by an http or https URL, from public addresses only.
 *
 * Every address a name resolves to must be public, and the request goes to those very addresses.
 * Redirects are followed with the same checks, never from https to http. The request contains no
 * cookies or credentials, and uses no proxy.
 *
 * @throws InvalidInputError with code `FILE_NOT_ACCEPTED`. Its message contains the URL without its
 * query. It is the same for a private address, a closed port, an unknown name and a refusal; the
 * reason is only in `cause`.
 * @throws AbortedError when `signal` aborts, or the signal's own reason where that is an error of
 * Halyard's.
 */
export async function downloadFile(url: string | URL, options: DownloadFileOptions = {}): Promise<DownloadFileResult> {
  const { signal, maxBytes = MAX_FILE_BYTES, timeoutMs = 10_000, maxRedirects = 5, lookup, allowAddress } = options;
  const start = acceptUrl(String(url));
  const refuse: Refuse = (why, cause) => notAccepted(`file at ${describeLocation(start)}`, why, cause);

  const stop = new AbortController();
  const onAbort = () =>
    stop.abort(isHalyardError(signal?.reason) ? signal.reason : new AbortedError({ cause: signal?.reason }));
  const timer = setTimeout(() => stop.abort(refuse(`it took longer than ${timeoutMs / 1000} s`)), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();

  try {
    let current = start;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const request = { allowAddress, headers: REQUEST_HEADERS, lookup, signal: stop.signal };
      const response = await checkedRequest(current, request);
      if (response === undefined) throw refuse(UNREACHABLE);
      try {
        if (!REDIRECTS.has(response.statusCode)) return await readFile(response, maxBytes, refuse);
        current = redirectTarget(response, current, refuse);
      } finally {
        response.destroy();
      }
    }
    throw refuse(`it redirects more than ${maxRedirects} times`);
  } catch (error) {
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
    throw isHalyardError(reason) ? reason : refuse(UNREACHABLE, reason);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * The content of a `data:` URL as base64 (padded, standard alphabet) and its media type in lower
 * case without parameters; `text/plain` when it names none. Accepts base64 and percent-encoded
 * content. Source: RFC 2397 and the Fetch Standard.
 *
 * @param maxBytes of the decoded content.
 * @throws InvalidInputError with code `FILE_NOT_ACCEPTED` when the URL is malformed or its content
 * too large.
 */
export function decodeDataUrl(url: string, maxBytes: number = MAX_FILE_BYTES): { data: string; mediaType: string } {
  const refuse: Refuse = (why) => notAccepted('data: URL', why);
  const comma = url.indexOf(',');
  if (!/^data:/i.test(url) || comma === -1) throw refuse('it is not of the form data:<media type>;base64,<content>');

  const [type = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const mediaType = type.trim() === '' ? 'text/plain' : readMediaType(type);
  if (mediaType === undefined) throw refuse('its media type is malformed');

  const fragment = url.indexOf('#', comma);
  const bytes = percentDecode(url.slice(comma + 1, fragment === -1 ? undefined : fragment));
  if (bytes === undefined) throw refuse('its content has a malformed percent-encoding');

  const content = parameters.at(-1)?.trim().toLowerCase() === 'base64' ? base64Decode(bytes.toString('latin1')) : bytes;
  if (content === undefined) throw refuse('its content is not base64');
  if (content.length > maxBytes) throw refuse(largerThan(maxBytes));
  return { data: content.toString('base64'), mediaType };
}

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_URL_LENGTH = 8 * 1024;
const PERCENT = 0x25;
const REQUEST_HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'halyard' };
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/**
 * The same for private addresses, unknown names, closed ports and refusals: different messages
 * would reveal the network.
 */
const UNREACHABLE = 'it could not be fetched from a public address';

type Refuse = (why: string, cause?: unknown) => InvalidInputError;

function acceptUrl(text: string): URL {
  if (text.length > MAX_URL_LENGTH) throw notAccepted('file URL', `it is longer than ${MAX_URL_LENGTH} characters`);
  const url = URL.parse(text);
  if (url === null) throw notAccepted('file URL', 'it is not a valid URL');
  if (!isWeb(url)) throw notAccepted(`file at ${describeLocation(url)}`, 'only http and https URLs are fetched');
  if (hasCredentials(url))
    throw notAccepted(`file at ${describeLocation(url)}`, 'its URL carries a user name or password');
  return url;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/**
 * The URL in an error message. Query, fragment and credentials may be secret, and so may the
 * content of `data:`.
 */
function describeLocation(url: URL): string {
  const place = isWeb(url) ? `${url.origin}${url.pathname}` : url.protocol;
  return place.length > 200 ? `${cutText(place, 200)}…` : place;
}

function notAccepted(what: string, why: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError(`The ${what} is not accepted: ${why}`, {
    code: 'FILE_NOT_ACCEPTED',
    ...(cause !== undefined && { cause }),
  });
}

function largerThan(maxBytes: number): string {
  const mebibytes = maxBytes / (1024 * 1024);
  return `it is larger than ${mebibytes < 1 ? `${maxBytes} bytes` : `${Math.floor(10 * mebibytes) / 10} MB`}`;
}

function redirectTarget(response: IncomingMessage, from: URL, refuse: Refuse): URL {
  const target = response.headers.location === undefined ? null : URL.parse(response.headers.location, from.href);
  if (target === null || !isWeb(target) || hasCredentials(target)) throw refuse(UNREACHABLE);
  if (from.protocol === 'https:' && target.protocol === 'http:') throw refuse('it redirects from https to http');
  return target;
}

async function readFile(response: IncomingMessage, maxBytes: number, refuse: Refuse): Promise<DownloadFileResult> {
  const { statusCode = 0, headers } = response;
  if (statusCode < 200 || statusCode > 299) throw refuse(UNREACHABLE);
  // A few compressed bytes could unpack to any size. The request does not accept compression.
  const encoding = headers['content-encoding']?.toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw refuse('its server sends it compressed');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw refuse(largerThan(maxBytes));

  const data = await collect(response, maxBytes);
  if (data === undefined) throw refuse(largerThan(maxBytes));
  return { data, mediaType: readMediaType(headers['content-type'] ?? '') };
}

/**
 * The whole body, or undefined when it exceeds `maxBytes`. Copies into one array: a list of
 * one-byte chunks would take a hundred times the memory.
 */
async function collect(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  let bytes = new Uint8Array(Math.min(maxBytes, 64 * 1024));
  let length = 0;
  for await (const chunk of body) {
    const needed = length + chunk.length;
    if (needed > maxBytes) return undefined;
    if (needed > bytes.length) {
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(needed, 2 * bytes.length)));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(chunk, length);
    length = needed;
  }
  return bytes.slice(0, length);
}

function readMediaType(contentType: string): string | undefined {
  const essence = contentType.split(';', 1).join('').trim().toLowerCase();
  return /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(essence) ? essence : undefined;
}

/**
 * Byte by byte, since the content need not be UTF-8; undefined where a `%` is not followed by two
 * hexadecimal digits.
 */
function percentDecode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text);
  if (!bytes.includes(PERCENT)) return bytes;

  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    let byte = bytes.readUInt8(index);
    if (byte === PERCENT) {
      byte = 16 * hexDigit(bytes[index + 1]) + hexDigit(bytes[index + 2]);
      if (Number.isNaN(byte)) return undefined;
      index += 2;
    }
    length = bytes.writeUInt8(byte, length);
  }
  return bytes.subarray(0, length);
}

function hexDigit(code: number | undefined): number {
  if (code === undefined) return Number.NaN;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : Number.NaN;
}

/** Takes base64 and base64url, padded or not; undefined for anything else. */
function base64Decode(text: string): Buffer | undefined {
  const digits = text.replaceAll(/[\t\n\f\r ]+/g, '').replace(/={1,2}$/, '');
  const bytes = Buffer.from(digits, 'base64');
  // Buffer skips invalid characters, so the result is shorter.
  return digits.length % 4 !== 1 && bytes.length === Math.floor((digits.length * 3) / 4) ? bytes : undefined;
}
