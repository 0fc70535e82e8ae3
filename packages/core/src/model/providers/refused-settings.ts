import type { ModelWarning, ResolvedModel } from './model-port.ts';

/** The settings that each model has refused, by its own warnings. */
const refusedByModel = new WeakMap<ResolvedModel, Set<string>>();
const none: ReadonlySet<string> = new Set();

/** The settings that a model is known to refuse, such as the temperature of a reasoning model. */
export function refusedSettings(model: ResolvedModel | undefined): ReadonlySet<string> {
  return (model && refusedByModel.get(model)) ?? none;
}

/** Remembers the unsupported settings in the warnings of a model. */
export function rememberRefused(model: ResolvedModel, warnings: readonly ModelWarning[]): void {
  for (const warning of warnings) {
    if (warning.type !== 'unsupported') continue;
    const refused = refusedByModel.get(model) ?? new Set();
    refusedByModel.set(model, refused.add(warning.feature));
  }
}
