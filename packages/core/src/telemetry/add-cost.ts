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

/** The part of a model call that its cost depends on. */
export interface PricedCall {
  readonly provider: string | undefined;
  readonly model: string;
  /** All input tokens, those from the cache included. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** When it began, in milliseconds since the epoch. */
  readonly time: number;
}

/** The cost of a model call in US dollars; undefined if the price of its model is unknown. */
export type CostOfCall = (call: PricedCall) => number | undefined;

/** The costs by prices that the app has set. */
export function costByPrices(prices: ModelPrices): CostOfCall {
  return ({ cachedInputTokens, inputTokens, model, outputTokens }) => {
    const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
    if (price === undefined) return undefined;
    const cost =
      (inputTokens - cachedInputTokens) * price.input +
      cachedInputTokens * (price.cachedInput ?? price.input) +
      outputTokens * price.output;
    return cost / 1_000_000;
  };
}

/** A model call with its cost as `gen_ai.usage.cost`, if that is known and it has none yet. */
export function addCost(span: SpanRecord, costOf: CostOfCall): SpanRecord {
  const { attributes } = span;
  if (attributes['gen_ai.operation.name'] !== 'chat' || attributes['gen_ai.usage.cost'] !== undefined) return span;
  const [model, provider] = [attributes['gen_ai.request.model'], attributes['gen_ai.provider.name']];
  if (typeof model !== 'string') return span;
  const tokens = (kind: string): number => {
    const amount = attributes[`gen_ai.usage.${kind}`];
    return typeof amount === 'number' ? amount : 0;
  };
  const cost = costOf({
    provider: typeof provider === 'string' ? provider : undefined,
    model,
    inputTokens: tokens('input_tokens'),
    cachedInputTokens: tokens('cache_read.input_tokens'),
    outputTokens: tokens('output_tokens'),
    time: span.startTime,
  });
  return cost === undefined ? span : { ...span, attributes: { ...attributes, 'gen_ai.usage.cost': cost } };
}
