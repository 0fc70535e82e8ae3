import type { JsonObject } from '@halyard/contracts';

/** Sampling settings of model calls. An agent's setting that is `null` is not sent to the model. */
export interface GenerationSettings {
  readonly temperature?: number | null;
  readonly maxOutputTokens?: number | null;
  readonly topP?: number | null;
  readonly frequencyPenalty?: number | null;
  readonly presencePenalty?: number | null;
  readonly seed?: number | null;
  readonly stopSequences?: readonly string[] | null;
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | null;
}

/** The settings that the model receives, without `null` and unset values. */
export interface SentSettings {
  temperature?: number;
  maxOutputTokens?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  seed?: number;
  stopSequences?: string[];
  providerOptions?: Record<string, JsonObject>;
}

/** The defaults of the HTTP contract ("Limits"). */
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

const names = [
  'temperature',
  'maxOutputTokens',
  'topP',
  'frequencyPenalty',
  'presencePenalty',
  'seed',
  'stopSequences',
  'providerOptions',
] as const;

/** The agent's settings, with the defaults of the contract for those that are not set. */
export function agentSettings(own: GenerationSettings = {}): SentSettings {
  const defaults = Object.entries(generationDefaults).filter(([name]) => !hasOwnValue(own, name));
  return overlay(Object.fromEntries(defaults), own);
}

/** The settings of a request, with the agent's for those that are not set or `null`. */
export function requestSettings(agent: SentSettings, request: GenerationSettings): SentSettings {
  return overlay(agent, request);
}

function overlay(settings: SentSettings, over: GenerationSettings): SentSettings {
  let result: Record<string, unknown> | undefined;
  for (const name of names) {
    const value = over[name];
    if (value === undefined || value === null) continue;
    result ??= { ...settings };
    result[name] = value;
  }
  return result ?? settings;
}

function hasOwnValue(settings: GenerationSettings, name: string): boolean {
  const values: Readonly<Record<string, unknown>> = { ...settings };
  return values[name] !== undefined;
}
