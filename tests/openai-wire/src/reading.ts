import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** A prompt of one user message. */
export function ask(
  text: string,
  options: Omit<LanguageModelV4CallOptions, 'prompt'> = {},
): LanguageModelV4CallOptions {
  return { ...options, prompt: [{ role: 'user', content: [{ type: 'text', text }] }] };
}

/** Every part of a stream; a stream that fails gives an `error` part at the end. */
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

/** The deltas of a stream's text, reasoning or tool input, as they came; chat completions open with an empty one, left out here. */
export function deltasOf(
  parts: readonly LanguageModelV4StreamPart[],
  type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta',
): readonly string[] {
  return partsOf(parts, type)
    .map((part) => part.delta)
    .filter((delta) => delta !== '');
}
