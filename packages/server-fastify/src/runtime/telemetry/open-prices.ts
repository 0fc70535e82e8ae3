import { ConfigurationError, type Logger } from '@halyard/contracts';
import type { ModelPrices } from '@halyard/core';
import { costByPrices, type CostOfCall } from '@halyard/core/server';
import type * as GenaiPrices from '@pydantic/genai-prices';

/** Not a literal type, so that apps without the package can be compiled and bundled. */
const packageName: string = '@pydantic/genai-prices';

/**
 * The costs of model calls by the option `prices`.
 *
 * @throws ConfigurationError for other prices, and if the package of the bundled ones is missing.
 */
export async function openPrices(
  prices: ModelPrices | 'bundled' | undefined,
  logger: Logger,
): Promise<CostOfCall | undefined> {
  if (prices === undefined) return undefined;
  if (prices === 'bundled') return openBundledPrices(logger);
  if (typeof prices !== 'object' || prices === null)
    throw new ConfigurationError(`\`telemetry.prices\` must be 'bundled' or an object of prices by model`);
  return costByPrices(prices);
}

async function openBundledPrices(logger: Logger): Promise<CostOfCall> {
  const { calcPrice, findProvider } = await loadPackage();
  const failed = new Set<string>();
  return ({ cachedInputTokens, inputTokens, model, outputTokens, provider, time }) => {
    const [providerId, modelId] = priced(provider, model);
    const known = providerId === undefined ? undefined : findProvider({ providerId });
    // A model of an unknown provider may have the name of another provider's model.
    if (providerId !== undefined && known === undefined) return undefined;
    const usage = { input_tokens: inputTokens, cache_read_tokens: cachedInputTokens, output_tokens: outputTokens };
    try {
      return calcPrice(usage, modelId, { ...(known && { provider: known }), timestamp: new Date(time) })?.total_price;
    } catch (error) {
      // Counts of a provider that contradict each other. A run must not fail by its price.
      if (!failed.has(model)) logger.warn({ err: error, model }, 'the cost of model calls could not be computed');
      failed.add(model);
      return undefined;
    }
  };
}

/** Gateways name the provider in the model: `openai/gpt-5-mini`. */
function priced(provider: string | undefined, model: string): readonly [string | undefined, string] {
  const slash = model.indexOf('/');
  if (provider !== 'gateway' || slash === -1) return [provider, model];
  return [model.slice(0, slash), model.slice(slash + 1)];
}

async function loadPackage(): Promise<typeof GenaiPrices> {
  try {
    return (await import(packageName)) as typeof GenaiPrices;
  } catch (error) {
    throw new ConfigurationError(
      `\`telemetry.prices: 'bundled'\` needs a package: npm install @pydantic/genai-prices`,
      { cause: error },
    );
  }
}
