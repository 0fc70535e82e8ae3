import type { ContentBlock } from '@modelcontextprotocol/client';

/**
 * Content of a tool result with its images and other files: `content` as `toModelOutput` returns
 * it. Plain JSON, which a message stores.
 */
interface ContentWithFiles {
  readonly type: 'content';
  readonly value: ContentItem[];
}

type ContentItem =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'file';
      readonly mediaType: string;
      /** Base64. */
      readonly data: { readonly type: 'data'; readonly data: string };
    };

export function hasFile(content: readonly ContentBlock[]): boolean {
  return content.some((block) => fileOf(block) !== undefined);
}

export function withFiles(content: readonly ContentBlock[]): ContentWithFiles {
  return {
    type: 'content',
    value: content.map((block) => fileOf(block) ?? { type: 'text', text: blockText(block) }),
  };
}

/** Whether an output is of {@link withFiles}. A server can return such an object itself. */
export function isContentWithFiles(output: unknown): output is ContentWithFiles {
  return (
    isObject(output) && output['type'] === 'content' && Array.isArray(output['value']) && output['value'].every(isItem)
  );
}

/** The content of a tool result as text. Images and other files are only named. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(blockText).join('\n');
}

function fileOf(block: ContentBlock): ContentItem | undefined {
  if (block.type === 'image' || block.type === 'audio') return file(block.mimeType, block.data);
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  return file(block.resource.mimeType ?? 'application/octet-stream', block.resource.blob);
}

function file(mediaType: string, data: string): ContentItem {
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function isItem(item: unknown): boolean {
  if (!isObject(item)) return false;
  if (item['type'] === 'text') return typeof item['text'] === 'string';
  const data = item['data'];
  return (
    item['type'] === 'file' &&
    typeof item['mediaType'] === 'string' &&
    isObject(data) &&
    data['type'] === 'data' &&
    typeof data['data'] === 'string'
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}]`;
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[${block.resource.uri}]`;
    default:
      return block satisfies never;
  }
}
