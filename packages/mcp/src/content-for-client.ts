import type { OutputForModel } from '@halyard/core/server';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';

type ContentItem = Extract<OutputForModel, { type: 'content' }>['value'][number];
type FileItem = Extract<ContentItem, { type: 'file' }>;

/**
 * An output of a tool as the content of a result. Images and audio keep their kind. Other files are
 * embedded resources, and files at a URL are links.
 *
 * @param uri prefix of the URIs of embedded resources.
 */
export function contentForClient(output: OutputForModel, uri: string): Pick<CallToolResult, 'content' | 'isError'> {
  switch (output.type) {
    case 'text':
      return { content: [text(output.value)] };
    case 'json':
      return { content: [text(JSON.stringify(output.value))] };
    case 'error-text':
      return { isError: true, content: [text(output.value)] };
    case 'error-json':
      return { isError: true, content: [text(JSON.stringify(output.value))] };
    case 'execution-denied':
      return { isError: true, content: [text(output.reason ?? 'The call was denied')] };
    case 'content':
      return { content: output.value.flatMap((item, index) => blocks(item, `${uri}/${index + 1}`)) };
    default:
      return output satisfies never;
  }
}

function blocks(item: ContentItem, uri: string): readonly ContentBlock[] {
  switch (item.type) {
    case 'text':
      return [text(item.text)];
    case 'file':
      return [file(item, uri)];
    case 'custom':
      // Only the provider that it is meant for can read it.
      return [];
    default:
      return item satisfies never;
  }
}

function file({ data, filename, mediaType }: FileItem, uri: string): ContentBlock {
  switch (data.type) {
    case 'url':
      return { type: 'resource_link', uri: data.url.href, name: filename ?? nameOf(data.url), ...exact(mediaType) };
    case 'text':
      return { type: 'resource', resource: { uri, text: data.text, ...exact(mediaType) } };
    case 'data':
      return bytes(
        typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64'),
        mediaType,
        uri,
      );
    case 'reference':
      return text(`[file of a provider: ${filename ?? mediaType}]`);
    default:
      return data satisfies never;
  }
}

function bytes(data: string, mediaType: string, uri: string): ContentBlock {
  const mimeType = exact(mediaType).mimeType ?? imageType(data, mediaType);
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri, blob: data, mimeType } };
}

/** A tool may name only the kind: `image`. */
function exact(mediaType: string): { readonly mimeType?: string } {
  return /^[^/]+\/[^/*]+$/.test(mediaType) ? { mimeType: mediaType } : {};
}

/** How the base64 of images begins. */
const beginnings = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
] as const;

function imageType(data: string, mediaType: string): string {
  const known = beginnings.find(([beginning]) => data.startsWith(beginning));
  return mediaType.startsWith('image') && known !== undefined ? known[1] : 'application/octet-stream';
}

function nameOf({ host, pathname }: URL): string {
  return pathname.split('/').findLast((part) => part !== '') ?? host;
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value };
}
