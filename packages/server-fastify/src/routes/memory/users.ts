import { Type } from '@sinclair/typebox';
import { ownerNamed } from '../../access/owner.ts';
import { defineRoute } from '../../define/define-route.ts';
import { DeletedUser } from '../../schemas/deleted-user.ts';
import { Id } from '../../schemas/id.ts';
import { deleteUser } from './delete-user.ts';

export const userRoutes = [
  defineRoute({
    method: 'DELETE',
    url: '/api/memory/users/:userId',
    tier: 'user',
    tag: 'Memory',
    operationId: 'deleteUser',
    summary: 'Delete everything that is stored of a user',
    description:
      'Conversations, messages, working memory, vectors, executions and what was recorded of them, in every memory of the server. Executions that run stop. A verified user can delete nobody else.',
    params: Type.Object({ userId: Id }),
    failures: [403],
    data: DeletedUser,
    handler: async ({ caller, params: { userId } }, services) => {
      ownerNamed(caller, userId);
      return { deleted: true as const, ...(await deleteUser(userId, services)) };
    },
  }),
];
