import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { ModelContent, ModelPart } from './model-port.ts';

/** A complete answer as the parts of a stream, so that both are read by the same code. */
export function partsOf({
  warnings,
  content,
  finishReason,
  usage,
  providerMetadata,
  response,
}: LanguageModelV4GenerateResult): ModelPart[] {
  const parts: ModelPart[] = warnings.length > 0 ? [{ type: 'stream-start', warnings }] : [];
  if (response?.id !== undefined) parts.push({ type: 'response-metadata', id: response.id });
  content.forEach((item, index) => parts.push(...partsOfContent(item, String(index))));
  parts.push({ type: 'finish', finishReason, usage, ...(providerMetadata && { providerMetadata }) });
  return parts;
}

function partsOfContent(item: ModelContent, id: string): ModelPart[] {
  if (item.type !== 'text' && item.type !== 'reasoning') return [item];
  const metadata = item.providerMetadata && { providerMetadata: item.providerMetadata };
  return [
    { type: `${item.type}-start`, id },
    { type: `${item.type}-delta`, id, delta: item.text },
    { type: `${item.type}-end`, id, ...metadata },
  ];
}
