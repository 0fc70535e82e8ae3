import type { ModelPart } from '../../../model/providers/model-port.ts';
import type { SourceEvent } from '../../agent-event.ts';
import { providerFields } from './part-metadata.ts';

export function toSourceEvent(part: Extract<ModelPart, { type: 'source' }>): SourceEvent {
  const { type, id } = part;
  if (part.sourceType === 'url') {
    const { title, url } = part;
    return { type, id, sourceType: 'url', url, ...(title !== undefined && { title }), ...providerFields(part) };
  }
  const { filename, mediaType, title } = part;
  return {
    type,
    id,
    sourceType: 'document',
    mediaType,
    title,
    ...(filename !== undefined && { filename }),
    ...providerFields(part),
  };
}
