import type { AssistantPart, ModelPart } from '../../../model/providers/model-port.ts';
import type { AgentEvent } from '../../agent-event.ts';
import { asOptions, providerFields } from './part-metadata.ts';

export type GeneratedPart = Extract<ModelPart, { type: 'file' | 'reasoning-file' }>;

/** A file of the model, for the prompt of the next call and as an event. */
export function generatedFile(part: GeneratedPart): { readonly content: AssistantPart; readonly event: AgentEvent } {
  const { data, mediaType, type } = part;
  if (data.type === 'url')
    return {
      content: { type, mediaType, data, ...asOptions(part) },
      event: { type, mediaType, url: data.url.href, ...providerFields(part) },
    };
  const base64 = typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
  return {
    content: { type, mediaType, data: { type: 'data', data: base64 }, ...asOptions(part) },
    event: { type, mediaType, url: `data:${mediaType};base64,${base64}`, ...providerFields(part) },
  };
}
