import { queryOptions } from '@tanstack/react-query';
import { currentCredential, isUser } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components, paths } from '../../api/schema.ts';

type ListQuery = NonNullable<paths['/workflows/executions']['get']['parameters']['query']>;

export interface ExecutionList {
  readonly rows: readonly components['schemas']['ExecutionRecord'][];
  readonly hasMore: boolean;
}

/*
 * The console key and a user's token open different routes, which return the same. With a token, these are the executions of its user only.
 */

/** The state of an execution. */
export function readExecution(
  path: { readonly id: string; readonly executionId: string },
  signal?: AbortSignal,
): Promise<components['schemas']['ExecutionState']> {
  const request = { params: { path }, ...(signal && { signal }) };
  return isUser()
    ? readData(api.GET('/workflows/{id}/executions/{executionId}', request))
    : readData(api.GET('/workflows/{id}/executions/{executionId}/state', request));
}

/** A page of the executions that match, newest first. */
export async function listExecutions(query: ListQuery, signal?: AbortSignal): Promise<ExecutionList> {
  const request = { params: { query }, ...(signal && { signal }) };
  const reply = isUser() ? await api.GET('/api/executions', request) : await api.GET('/workflows/executions', request);
  const rows = await readData(Promise.resolve(reply));
  return { rows, hasMore: reply.data?.hasMore ?? false };
}

/** The live channel tells what happens on this server only; others may run the workflow too. */
const pollMs = 5_000;

/** The latest executions of a workflow. */
export const latestRunsQuery = (workflowId: string) =>
  queryOptions({
    queryKey: ['executions', 'latest', workflowId],
    queryFn: async ({ signal }) =>
      (await listExecutions({ workflowId, events: false, limit: 50, offset: 0 }, signal)).rows,
    refetchInterval: pollMs,
  });

/**
 * The path of the events of an execution. Without a credential, the bypass of development opens
 * both routes.
 */
export function eventsPath(workflowId: string, executionId: string): string {
  const place = currentCredential()?.kind === 'key' ? 'observability/' : '';
  return `${place}workflows/${encodeURIComponent(workflowId)}/executions/${encodeURIComponent(executionId)}/stream`;
}
