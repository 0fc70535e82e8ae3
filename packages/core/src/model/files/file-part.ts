import { InvalidInputError } from '@halyard/contracts';
import type { PromptFilePart } from '../providers/model-port.ts';

/** Fetches a file that a message refers to, unless the model reads the URL itself. */
export type FetchFile = (
  url: string,
  mediaType: string,
) => Promise<
  { readonly data: Uint8Array | string; readonly mediaType: string | undefined } | { readonly passedOn: URL }
>;

/**
 * A file as models receive it. Files at a URL are fetched, unless the model reads it. @throws
 * InvalidInputError for a file that is not accepted.
 */
export async function filePart(
  source: unknown,
  mediaType: string,
  filename: string | undefined,
  providerOptions: PromptFilePart['providerOptions'],
  fetchFile: FetchFile,
): Promise<PromptFilePart> {
  const fields = { ...(filename !== undefined && { filename }), ...(providerOptions && { providerOptions }) };
  const place = locateFile(source);
  if (place.type === 'data' || place.type === 'text' || place.type === 'reference') {
    return { type: 'file', mediaType, data: place, ...fields };
  }
  const file = await fetchFile(place.url, mediaType);
  if ('passedOn' in file) return { type: 'file', mediaType, data: { type: 'url', url: file.passedOn }, ...fields };
  return {
    type: 'file',
    mediaType: exactMediaType(mediaType, file.mediaType),
    data: { type: 'data', data: file.data },
    ...fields,
  };
}

type Place = Exclude<PromptFilePart['data'], { type: 'url' }> | { readonly type: 'url'; readonly url: string };

/** The AI SDK accepts bytes, base64, URLs as text or object, and tagged forms of all of them. */
export function locateFile(source: unknown): Place {
  if (source instanceof URL) return { type: 'url', url: source.href };
  if (typeof source === 'string')
    return /^(?:[a-z][a-z\d+.-]*):/i.test(source) ? { type: 'url', url: source } : { type: 'data', data: source };
  if (source instanceof Uint8Array) return { type: 'data', data: source };
  if (source instanceof ArrayBuffer) return { type: 'data', data: new Uint8Array(source) };
  if (typeof source === 'object' && source !== null && 'type' in source) {
    if (source.type === 'url' && 'url' in source) return { type: 'url', url: String(source.url) };
    if (source.type === 'data' && 'data' in source) return locateFile(source.data);
    if (source.type === 'text' && 'text' in source && typeof source.text === 'string')
      return { type: 'text', text: source.text };
    if (source.type === 'reference' && 'reference' in source)
      return { type: 'reference', reference: stringRecord(source.reference) };
  }
  throw new InvalidInputError('A file part must hold base64 data or a URL', { code: 'FILE_NOT_ACCEPTED' });
}

function stringRecord(value: unknown): Record<string, string> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** A message may name only `image`: the media type of the fetched file is then more exact. */
function exactMediaType(named: string, fetched: string | undefined): string {
  const isExact = named.includes('/') && !named.endsWith('/*');
  return isExact ? named : (fetched ?? named);
}
