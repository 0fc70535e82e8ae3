import { consoleLevel, isUser } from '../../access/credential.ts';
import { api, readData } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import type { Approval } from './use-approvals.ts';

export type Response = Pick<
  components['schemas']['ApprovalAnswer'],
  'always' | 'approved' | 'input' | 'reason' | 'resumeData'
>;

/** Sends the answer to a request, to the route of the person. */
export function sendResponse(
  { conversationId, executionId, id }: Pick<Approval, 'conversationId' | 'executionId' | 'id'>,
  response: Response,
): Promise<unknown> {
  const place = executionId === null ? { conversationId: conversationId ?? '' } : { executionId };
  const body = { id, ...place, ...response };
  // A viewer responds only for own runs.
  return isUser() || consoleLevel() === 'viewer'
    ? readData(api.POST('/api/approvals/answer', { body }))
    : readData(api.POST('/approvals/answer', { body }));
}
