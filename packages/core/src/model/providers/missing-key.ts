import { ModelKeyMissingError } from '@halyard/contracts';

/**
 * The error of a provider of the AI SDK that found no API key, in words for the developer;
 * undefined for any other error.
 */
export function missingKeyError(agentId: string, error: unknown): ModelKeyMissingError | undefined {
  if (!(error instanceof Error) || error.name !== 'AI_LoadAPIKeyError') return undefined;
  // The provider names the variable in its message only.
  const variable = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/.exec(error.message)?.[0];
  const advice = variable === undefined ? 'pass it to its provider' : `set the environment variable ${variable}`;
  return new ModelKeyMissingError(agentId, `${advice}, and start again`, { cause: error });
}
