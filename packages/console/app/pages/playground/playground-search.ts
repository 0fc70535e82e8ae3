import { listSearch } from '../../ui/search-params.ts';

/**
 * The settings of a run that a person has changed; what is absent is the agent's. The names are
 * those of the API.
 */
export interface RunSettings {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  readonly maxSteps?: number;
  readonly contextLimit?: number;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

type Names = 'agentId' | 'span' | 'conversationId' | 'userId' | 'beside' | 'mode' | 'memory' | 'panel';

/** The state of the playground that can be shared by its address. */
export interface PlaygroundSearch extends Partial<Record<Names, string>> {
  readonly settings?: RunSettings;
  /** The settings of the second agent. */
  readonly besideSettings?: RunSettings;
  readonly schema?: Readonly<Record<string, unknown>>;
}

export function playgroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const names: readonly Names[] = ['agentId', 'span', 'conversationId', 'userId', 'beside', 'mode', 'memory', 'panel'];
  return {
    ...listSearch(search, names),
    ...objectParam(search, 'settings'),
    ...objectParam(search, 'besideSettings'),
    ...objectParam(search, 'schema'),
  };
}

function objectParam<const Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [Key in Name]?: Record<string, unknown> } {
  const value = search[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0) return {};
  return { [name]: value } as { [Key in Name]: Record<string, unknown> };
}
