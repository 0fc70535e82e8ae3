import { queryOptions } from '@tanstack/react-query';
import { isUser } from '../../access/credential.ts';
import { readCatalog } from '../../api/catalog.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type AgentSummary = components['schemas']['AgentSummary'];
export type AgentDefinition = components['schemas']['AgentDefinition'];
export type AgentRun = components['schemas']['AgentHistoryEntry'];

/** The agents change only when the server is started again. */
export const agentsQuery = queryOptions({
  queryKey: ['agents', 'list'],
  queryFn: async ({ signal }): Promise<readonly AgentSummary[]> =>
    isUser() ? (await readCatalog(signal)).agents.map(toSummary) : readData(api.GET('/agents', { signal })),
  staleTime: 30_000,
});

/** How an agent is defined: for operators. */
export const definitionQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agents', 'definition', agentId],
    queryFn: ({ signal }) =>
      readData(api.GET('/observability/agents/{id}', { params: { path: { id: agentId } }, signal })),
    staleTime: 30_000,
  });

/** The newest run of an agent, and how many there are. */
export const lastRunQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['agents', 'runs', agentId, 'last'],
    queryFn: async ({ signal }): Promise<{ readonly total: number; readonly run: AgentRun | undefined }> => {
      const params = { path: { id: agentId }, query: { limit: 1, page: 0 } };
      const { entries, total } = await readData(api.GET('/agents/{id}/history', { params, signal }));
      return { total, run: entries[0] };
    },
  });

/** A user learns which agents there are, and not how they work. */
function toSummary({ hasMemory, ...agent }: components['schemas']['Catalog']['agents'][number]): AgentSummary {
  return {
    ...agent,
    status: 'idle',
    model: '',
    tools: [],
    subAgents: [],
    memory: hasMemory ? { config: {} } : null,
    isTelemetryEnabled: false,
    settings: {
      instructions: 'none',
      tools: 'fixed',
      subAgents: 'fixed',
      maxSteps: 10,
      onBusy: 'reject',
      resumable: false,
      durable: null,
      generation: {},
    },
  };
}
