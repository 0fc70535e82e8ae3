import type { ModelPart } from '../../model/model-port.ts';
import type { SourceEvent } from '../agent-event.ts';

/** What a client is told of a source. */
export function sourceEvent(part: Extract<ModelPart, { type: 'source' }>): SourceEvent {
  const { type, id, providerMetadata } = part;
  const carried = providerMetadata && { providerMetadata };
  return part.sourceType === 'url'
    ? {
        type,
        id,
        sourceType: 'url',
        url: part.url,
        ...(part.title !== undefined && { title: part.title }),
        ...carried,
      }
    : {
        type,
        id,
        sourceType: 'document',
        mediaType: part.mediaType,
        title: part.title,
        ...(part.filename !== undefined && { filename: part.filename }),
        ...carried,
      };
}
