import type { ModelPart, ModelUsage } from './model-port.ts';

/**
 * The tokens that a provider has counted before its reply ends; undefined for a part that says
 * nothing about them. Anthropic counts the prompt first. The packages of other providers report
 * tokens only with the end of the reply.
 */
export function reportedUsage(part: ModelPart): ModelUsage | undefined {
  if (part.type !== 'custom' || part.kind !== 'anthropic.message_start') return undefined;
  const usage: unknown = part.providerMetadata?.['anthropic']?.['usage'];
  if (typeof usage !== 'object' || usage === null) return undefined;
  const tokens = new Map<string, unknown>(Object.entries(usage));
  const amount = (name: string): number => {
    const value = tokens.get(name);
    return typeof value === 'number' ? value : 0;
  };
  const noCache = amount('input_tokens');
  const cacheRead = amount('cache_read_input_tokens');
  const cacheWrite = amount('cache_creation_input_tokens');
  return {
    inputTokens: { total: noCache + cacheRead + cacheWrite, noCache, cacheRead, cacheWrite },
    outputTokens: { total: amount('output_tokens'), text: undefined, reasoning: undefined },
  };
}
