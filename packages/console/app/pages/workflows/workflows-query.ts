import { queryOptions } from '@tanstack/react-query';
import { isUser } from '../../access/credential.ts';
import { readCatalog } from '../../api/catalog.ts';
import { api, ApiError, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

type WorkflowDetail = components['schemas']['WorkflowDetail'];
export type WorkflowSummary = Pick<WorkflowDetail, 'id' | 'name' | 'purpose' | 'stepsCount'>;

export const workflowsQuery = queryOptions({
  queryKey: ['workflows'],
  queryFn: async ({ signal }): Promise<readonly WorkflowSummary[]> =>
    isUser() ? (await readCatalog(signal)).workflows.map(toDetail) : readData(api.GET('/workflows', { signal })),
});

/** One workflow. A user learns what it takes, and not of which steps it consists. */
export const workflowQuery = (workflowId: string) =>
  queryOptions({
    queryKey: ['workflows', workflowId],
    queryFn: async ({ signal }): Promise<WorkflowDetail> => {
      if (!isUser()) return readData(api.GET('/workflows/{id}', { params: { path: { id: workflowId } }, signal }));
      const found = (await readCatalog(signal)).workflows.find(({ id }) => id === workflowId);
      if (found === undefined)
        throw new ApiError(`No workflow has the id ${workflowId}`, new Response(null, { status: 404 }));
      return toDetail(found);
    },
  });

function toDetail(workflow: components['schemas']['Catalog']['workflows'][number]): WorkflowDetail {
  return { ...workflow, stepsCount: 0, status: 'idle', steps: [], suspendSchema: null, resultSchema: null };
}
