import { Type } from '@sinclair/typebox';
import { ownerNamed } from '../../../access/identity.ts';
import { audited } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { defineStream } from '../../define/define-stream.ts';
import { frame } from '../../streaming/frame.ts';
import { ExternalId } from '../common-schemas.ts';
import { deleteUser } from './delete-user.ts';
import { exportTelemetry, exportUser } from './export-user.ts';
import { DeletedUser, UserRecord } from './schemas.ts';

/** The common part of both routes of the export. */
const exported = {
  method: 'GET',
  params: Type.Object({ userId: ExternalId }),
  failures: [403],
  role: 'owner',
  readsList: true,
  event: UserRecord,
  encode: (record: UserRecord) => frame(record),
  encodeFailure: (error: string) => frame({ type: 'error', error } satisfies UserRecord),
} as const;

/**
 * For operators. Spans and log records contain instructions of agents and internal errors, so users
 * do not get them.
 */
export const userView = defineStream({
  ...exported,
  url: '/observability/users/:userId/export',
  tier: 'console',
  tag: 'Observability',
  operationId: 'viewUser',
  audit: audited('user.export'),
  summary: 'Export all data of a user, one record per event',
  description:
    'As the export of a user, and the spans and log records of the user’s runs. Data written during the export may be missing.',
  handler: async ({ caller, params: { userId }, signal }, services) => {
    ownerNamed(caller, userId);
    return joined(exportUser(userId, signal, services), exportTelemetry(userId, signal, services));
  },
});

async function* joined<Item>(...parts: readonly AsyncIterable<Item>[]): AsyncGenerator<Item, void, undefined> {
  for (const part of parts) yield* part;
}

export const userRoutes = [
  defineStream({
    ...exported,
    url: '/api/memory/users/:userId/export',
    tier: 'user',
    tag: 'Memory',
    operationId: 'exportUser',
    audit: audited('user.export'),
    summary: 'Export the data of a user, one record per event',
    description:
      'Conversations with their messages and working memory, and executions with their events, of every memory of the server. Data written during the export may be missing. A verified user can export only their own data.',
    handler: async ({ caller, params: { userId }, signal }, services) => {
      ownerNamed(caller, userId);
      return exportUser(userId, signal, services);
    },
  }),
  defineRoute({
    method: 'DELETE',
    url: '/api/memory/users/:userId',
    tier: 'user',
    servesRoles: true,
    tag: 'Memory',
    operationId: 'deleteUser',
    audit: audited('user.delete'),
    summary: 'Delete all data of a user',
    description:
      'Deletes conversations, messages, working memory, vectors, executions and their telemetry in every memory of the server. Running executions stop. A verified user can delete only their own data.',
    params: Type.Object({ userId: ExternalId }),
    failures: [403],
    data: DeletedUser,
    handler: async ({ caller, params: { userId } }, services) => {
      ownerNamed(caller, userId);
      return { deleted: true as const, ...(await deleteUser(userId, services)) };
    },
  }),
];
