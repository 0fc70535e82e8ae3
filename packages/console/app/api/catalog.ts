import { api, dataOf } from './client.ts';
import type { components } from './schema.ts';

/** All that a user's token shows of agents, workflows and tools. */
export function catalogOf(signal: AbortSignal): Promise<components['schemas']['Catalog']> {
  return dataOf(api.GET('/api/catalog', { signal }));
}
