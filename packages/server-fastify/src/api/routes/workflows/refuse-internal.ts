import { NotFoundError } from '@halyard/contracts';
import type { Services } from '../../services.ts';

/**
 * Refuses the workflows that run durable chats: their input contains options of agents that no
 * request may set.
 *
 * @throws NotFoundError
 */
export function refuseInternal(workflowId: string, { chats }: Pick<Services, 'chats'>): void {
  if (chats.workflows.some(({ id }) => id === workflowId)) throw new NotFoundError('workflow', workflowId);
}
