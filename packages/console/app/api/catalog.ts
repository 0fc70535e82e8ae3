import { api, readData } from './client.ts';
import type { components } from './schema.ts';

/** All that a user's token shows of agents, workflows and tools. */
export function readCatalog(signal: AbortSignal): Promise<components['schemas']['Catalog']> {
  return readData(api.GET('/api/catalog', { signal }));
}
