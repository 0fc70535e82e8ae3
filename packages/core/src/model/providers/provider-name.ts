/** The name of the provider whose models are called by Amazon Bedrock's Converse. */
export const bedrock = 'amazon-bedrock';

/** `openai.responses` → `openai`. */
export function providerName(provider = 'unknown'): string {
  const dot = provider.indexOf('.');
  return dot > 0 ? provider.slice(0, dot) : provider;
}
