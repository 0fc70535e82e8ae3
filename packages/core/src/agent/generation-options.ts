import { ConfigurationError, type JsonObject, type OptionNames } from '@halyard/contracts';
import type { ReasoningEffort } from '../model/providers/model-port.ts';

/** Settings of model calls. An agent's setting that is `null` is not sent to the model. */
export interface GenerationSettings {
  readonly temperature?: number | null | undefined;
  readonly maxOutputTokens?: number | null | undefined;
  readonly topP?: number | null | undefined;
  readonly topK?: number | null | undefined;
  readonly frequencyPenalty?: number | null | undefined;
  readonly presencePenalty?: number | null | undefined;
  readonly seed?: number | null | undefined;
  readonly stopSequences?: readonly string[] | null | undefined;
  /**
   * How much the model reasons before it replies. Provider packages translate it; options of a
   * provider take precedence.
   */
  readonly reasoning?: ReasoningEffort | null | undefined;
  /** HTTP headers of the requests to the provider. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | null | undefined;
}

/** The settings that the model receives, without `null` and unset values. */
export interface SentSettings {
  temperature?: number | undefined;
  maxOutputTokens?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  seed?: number | undefined;
  stopSequences?: string[] | undefined;
  reasoning?: ReasoningEffort | undefined;
  headers?: Record<string, string | undefined> | undefined;
  providerOptions?: Record<string, JsonObject> | undefined;
}

/**
 * The defaults of the HTTP contract ("Limits"). Requests over HTTP have them, except for reasoning
 * models and with `generation: 'provider-defaults'`; runs that an app starts itself do not.
 */
export const generationDefaults: Readonly<
  Record<'temperature' | 'maxOutputTokens' | 'topP' | 'frequencyPenalty' | 'presencePenalty', number>
> = {
  temperature: 0.7,
  maxOutputTokens: 4000,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
};

/** The default for the steps of a run: a model call and its tools. */
export const defaultMaxSteps: number = 10;
/** The most that an agent or a request can set. */
export const greatestMaxSteps: number = 50;

const generationNames: OptionNames<GenerationSettings> = {
  temperature: true,
  maxOutputTokens: true,
  topP: true,
  topK: true,
  frequencyPenalty: true,
  presencePenalty: true,
  seed: true,
  stopSequences: true,
  reasoning: true,
  headers: true,
  providerOptions: true,
};
const names = Object.keys(generationNames) as readonly (keyof GenerationSettings)[];

/** @throws ConfigurationError */
export function acceptGeneration(
  agentId: string,
  generation: GenerationSettings | 'provider-defaults',
): GenerationSettings {
  if (generation === 'provider-defaults') return {};
  if (typeof generation === 'object' && !Array.isArray(generation)) return generation;
  throw new ConfigurationError(`generation of agent "${agentId}" must be settings or 'provider-defaults'`);
}

export interface RunSettings {
  readonly sent: SentSettings;
  /**
   * The settings that only a default sets. Nobody asked for them, so a warning about them is of no
   * use.
   */
  readonly defaulted: ReadonlySet<string>;
}

/**
 * The settings of a run: those of the request, else of the agent, else the defaults, except those
 * that the model refuses. An agent's `null` is not sent.
 */
export function runSettings(
  agent: GenerationSettings,
  request: GenerationSettings,
  defaults: GenerationSettings = {},
  refused: ReadonlySet<string> = none,
): RunSettings {
  const sent: Record<string, unknown> = {};
  const defaulted = new Set<string>();
  for (const name of names) {
    const asked = request[name] ?? agent[name];
    const value = asked === undefined && !refused.has(name) ? defaults[name] : asked;
    if (value === undefined || value === null) continue;
    sent[name] = value;
    if (asked === undefined) defaulted.add(name);
  }
  return { sent, defaulted };
}

const none: ReadonlySet<string> = new Set();

/**
 * The settings of a request with changes. Options of a provider are added to those of the same
 * provider.
 */
export function withChanges(
  agent: GenerationSettings,
  request: GenerationSettings,
  changes: GenerationSettings,
): GenerationSettings {
  const changed: Record<string, unknown> = {};
  for (const name of names) changed[name] = changes[name] ?? request[name];
  const providerOptions = { ...(request.providerOptions ?? agent.providerOptions) };
  for (const [provider, options] of Object.entries(changes.providerOptions ?? {}))
    providerOptions[provider] = { ...providerOptions[provider], ...options };
  return { ...changed, providerOptions };
}
