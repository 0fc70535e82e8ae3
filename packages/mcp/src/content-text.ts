import type { ContentBlock } from '@modelcontextprotocol/client';

/** What a tool answered, in words for a model. Pictures and sounds are told of: as text they would be of no use. */
export function contentText(content: readonly ContentBlock[]): string {
  return content.map(blockText).join('\n');
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
