import { currentCredential } from '../../access/credential.ts';
import { api, dataOf } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';

/** The state of an execution. The console key and a user's token open different routes of it, which return the same. */
export function readExecution(
  path: { readonly id: string; readonly executionId: string },
  signal: AbortSignal,
): Promise<components['schemas']['ExecutionState']> {
  const request = { params: { path }, signal };
  return currentCredential()?.kind === 'token'
    ? dataOf(api.GET('/workflows/{id}/executions/{executionId}', request))
    : dataOf(api.GET('/workflows/{id}/executions/{executionId}/state', request));
}
