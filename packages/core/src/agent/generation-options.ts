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
  const defaults = Object.entries(generationDefaults).filter(([name]) => !hasOwnValue(own, name));
  return overlay(Object.fromEntries(defaults), own);
}

/** Request value, else the agent's own, else the default of the contract. A `null` in a request counts as absent. */
export function requestSettings(agent: SentSettings, request: GenerationSettings): SentSettings {
  return overlay(agent, request);
}

/** Copies only when there is something to say: most requests say nothing. */
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
