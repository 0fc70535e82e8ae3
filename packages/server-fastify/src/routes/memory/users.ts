import { Type } from '@sinclair/typebox';
import { ownerNamed } from '../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import { Id } from '../common-schemas.ts';
import { deleteUser } from './delete-user.ts';
import { DeletedUser } from './schemas.ts';

export const userRoutes = [
  defineRoute({
    method: 'DELETE',
    url: '/api/memory/users/:userId',
    tier: 'user',
    tag: 'Memory',
    operationId: 'deleteUser',
    summary: 'Delete all data of a user',
    description:
      'Deletes conversations, messages, working memory, vectors, executions and their telemetry in every memory of the server. Running executions stop. A verified user can delete only their own data.',
    params: Type.Object({ userId: Id }),
    failures: [403],
    data: DeletedUser,
    handler: async ({ caller, params: { userId } }, services) => {
      ownerNamed(caller, userId);
      return { deleted: true as const, ...(await deleteUser(userId, services)) };
    },
  }),
];
