import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/**
 * The efforts of reasoning differ between versions of the interface, and provider packages depend
 * on several.
 */
type CallOptions = Omit<LanguageModelV4CallOptions, 'reasoning'>;

/** A prompt of one user message. */
export function ask(text: string, options: Omit<CallOptions, 'prompt'> = {}): CallOptions {
  return { ...options, prompt: [{ role: 'user', content: [{ type: 'text', text }] }] };
}

/** All parts of a stream. If the stream fails, the last part is an `error`. */
export async function readParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<readonly LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  try {
    for await (const part of stream) parts.push(part);
  } catch (error) {
    parts.push({ type: 'error', error });
  }
  return parts;
}

/** The parts of one type. */
export function partsOf<Type extends LanguageModelV4StreamPart['type']>(
  parts: readonly LanguageModelV4StreamPart[],
  type: Type,
): readonly Extract<LanguageModelV4StreamPart, { type: Type }>[] {
  return parts.filter((part): part is Extract<LanguageModelV4StreamPart, { type: Type }> => part.type === type);
}

/**
 * The deltas of a stream's text, reasoning or tool input, unchanged. Omits the empty delta that
 * starts chat completions.
 */
export function deltasOf(
  parts: readonly LanguageModelV4StreamPart[],
  type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta',
): readonly string[] {
  return partsOf(parts, type)
    .map((part) => part.delta)
    .filter((delta) => delta !== '');
}
