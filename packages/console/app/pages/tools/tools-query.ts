import { queryOptions } from '@tanstack/react-query';
import { isRestricted } from '../../access/credential.ts';
import { readCatalog } from '../../api/catalog.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type ToolSummary = components['schemas']['ToolSummary'];

/** The tools change only when the server is started again. */
export const toolsQuery = queryOptions({
  queryKey: ['tools', 'list'],
  queryFn: async ({ signal }): Promise<readonly ToolSummary[]> =>
    isRestricted() ? (await readCatalog(signal)).tools.map(toSummary) : readData(api.GET('/tools', { signal })),
  staleTime: 30_000,
});

/** A user learns which tools can be run, and not which agents have them. */
function toSummary(tool: components['schemas']['Catalog']['tools'][number]): ToolSummary {
  return { ...tool, outputSchema: null, needsApproval: false, tags: [], agents: [] };
}
