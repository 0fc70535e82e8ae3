import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

export type ToolSummary = components['schemas']['ToolSummary'];

/** The tools change only when the server is started again. */
export const toolsQuery = queryOptions({
  queryKey: ['tools', 'list'],
  queryFn: ({ signal }): Promise<readonly ToolSummary[]> => dataOf(api.GET('/tools', { signal })),
  staleTime: 30_000,
});
