import { ConfigurationError } from '@halyard/contracts';
import type { LanguageModel } from '../messages/message.ts';
import type { ResolvedModel } from './model-port.ts';
import { findModel, type ModelRegistry } from './model-registry.ts';

/**
 * A model or the id of one, or several that are tried in order when one fails before its first
 * token.
 */
export type ModelChoice = LanguageModel | string | readonly (LanguageModel | string)[];

/** Models in the order in which they are tried. */
export type ModelList = readonly LanguageModel[];

/**
 * Checks the model of an agent, and finds the models that are named by ids. A function is called by
 * each run.
 *
 * @throws ConfigurationError
 */
export function acceptModel<Choose extends (run: never) => unknown>(
  agentId: string,
  choice: ModelChoice | Choose | undefined,
  providers: ModelRegistry | undefined,
): ModelList | Choose {
  if (typeof choice === 'function') return choice;
  const models = choice === undefined ? [] : foundModels(choice, providers);
  if (models.length === 0)
    throw new ConfigurationError(`Agent "${agentId}" needs a \`model\`, such as openai('gpt-5-mini')`);
  const wrong = models.findIndex((model) => !isSupported(model));
  if (wrong !== -1)
    throw new ConfigurationError(
      `The model of agent "${agentId}" must be an AI SDK language model of interface version 2, 3 or 4, such as openai('gpt-5-mini'), not ${describe(models[wrong])}`,
    );
  return models;
}

function foundModels(choice: ModelChoice, providers: ModelRegistry | undefined): ModelList {
  const models: readonly (LanguageModel | string)[] = Array.isArray(choice) ? choice : [choice];
  return models.map((model) => (typeof model === 'string' ? findModel(model, providers) : model));
}

/** Without the fields of an object: one may be an API key. */
function describe(model: unknown): string {
  if (typeof model !== 'object' || model === null) return String(model);
  if (!('specificationVersion' in model)) return 'an object without `specificationVersion`';
  return `an object of version ${String(model.specificationVersion)}`;
}

function isSupported(model: unknown): boolean {
  if (typeof model !== 'object' || model === null || !('specificationVersion' in model)) return false;
  const { specificationVersion: version } = model;
  return version === 'v2' || version === 'v3' || version === 'v4';
}

/** The models in the order in which they are tried, adapted to interface version 4. */
export async function resolveModels(choice: ModelChoice, providers?: ModelRegistry): Promise<readonly ResolvedModel[]> {
  const models = foundModels(choice, providers);
  if (models.length === 0) throw new ConfigurationError('An agent needs at least one model');
  return Promise.all(models.map(asCurrent));
}

/** The AI SDK warns on standard error when it adapts a model: once for each is enough. */
const adapted = new WeakMap<LanguageModel, ResolvedModel>();

async function asCurrent(model: LanguageModel): Promise<ResolvedModel> {
  if (model?.specificationVersion === 'v4') return model;
  if (model?.specificationVersion !== 'v2' && model?.specificationVersion !== 'v3') {
    throw new ConfigurationError(
      'A model must be an AI SDK language model of interface version 2, 3 or 4, such as openai("…")',
    );
  }
  const known = adapted.get(model);
  if (known !== undefined) return known;
  // Wrapping without middleware only adapts the interface.
  const { wrapLanguageModel } = await import('ai');
  const current = wrapLanguageModel({ model, middleware: [] });
  adapted.set(model, current);
  return current;
}
