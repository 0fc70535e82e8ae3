import type { SpanRecord } from '@halyard/contracts';

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of input tokens that come from the provider's cache. Default: as `input`. */
  readonly cachedInput?: number;
}

/** By the id of the model, such as `gpt-5-mini`. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>;

/**
 * A model call with its cost in US dollars as `gen_ai.usage.cost`, if the price of its model is
 * known and it has no cost yet.
 */
export function addCost(span: SpanRecord, prices: ModelPrices): SpanRecord {
  const { attributes } = span;
  if (attributes['gen_ai.operation.name'] !== 'chat' || attributes['gen_ai.usage.cost'] !== undefined) return span;
  const model = attributes['gen_ai.request.model'];
  const price = typeof model === 'string' && Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (price === undefined) return span;
  const tokens = (kind: string): number => {
    const amount = attributes[`gen_ai.usage.${kind}`];
    return typeof amount === 'number' ? amount : 0;
  };
  const cached = tokens('cache_read.input_tokens');
  const cost =
    (tokens('input_tokens') - cached) * price.input +
    cached * (price.cachedInput ?? price.input) +
    tokens('output_tokens') * price.output;
  return { ...span, attributes: { ...attributes, 'gen_ai.usage.cost': cost / 1_000_000 } };
}
