import { ConfigurationError } from '@halyard/contracts';
import type { LanguageModel } from '../messages/message.ts';

/**
 * Finds models by their ids, such as `openai:gpt-5`: `createProviderRegistry` or `customProvider`
 * of `ai`, or a provider.
 */
export interface ModelRegistry {
  languageModel(id: string): LanguageModel;
}

/** @throws ConfigurationError */
export function findModel(id: string, providers: ModelRegistry | undefined): LanguageModel {
  if (providers === undefined)
    throw new ConfigurationError(
      `The model "${id}" is an id, and there are no \`providers\` to find it in. Pass a model, such as openai('gpt-5-mini'), or the agent's option \`providers: createProviderRegistry({ openai })\``,
    );
  try {
    return providers.languageModel(id);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(`There is no model "${id}" in \`providers\`: ${reason}`, { cause: error });
  }
}
