import type { JsonObject } from '@halyard/contracts';

/** Sampling settings of one model call. `null` in an agent's own settings means "do not send it". */
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

/** What reaches the model: every `null` and every unset value is gone. */
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

/** Steps of a run (a model call and its tools) when neither request nor agent says; at most 50 may be asked for. */
export const defaultMaxSteps: number = 10;
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

/** The agent's own settings over the defaults of the contract; done once per agent. */
export function agentSettings(own: GenerationSettings = {}): SentSettings {
  return overlay({}, { ...generationDefaults, ...withoutUndefined(own) });
}

/** Request value, else the agent's own, else the default of the contract. A `null` in a request counts as absent. */
export function requestSettings(agent: SentSettings, request: GenerationSettings): SentSettings {
  return overlay({ ...agent }, request);
}

function overlay(target: SentSettings, source: GenerationSettings): SentSettings {
  const values: Record<string, unknown> = { ...source };
  const result: Record<string, unknown> = { ...target };
  for (const name of names) {
    const value = values[name];
    if (value !== undefined && value !== null) result[name] = value;
  }
  return result;
}

function withoutUndefined(settings: GenerationSettings): GenerationSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
