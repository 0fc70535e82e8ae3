import { type Static, Type } from '@sinclair/typebox';
import { anyObject, externalId } from '../common-schemas.ts';

const nameOf = (description: string) => Type.String({ description, minLength: 1, maxLength: 512 });
const timeOf = (description: string) => Type.String({ description, maxLength: 64 });

const filter = {
  actor: Type.Optional(externalId('The id of a user who acted')),
  action: Type.Optional(nameOf('Such as `execution.cancel`')),
  target: Type.Optional(nameOf('The id of an execution, a conversation, an approval or a user')),
  from: Type.Optional(timeOf('An ISO 8601 timestamp: records from then on')),
  to: Type.Optional(timeOf('An ISO 8601 timestamp: records before it')),
};

export const AuditQuery = Type.Object({
  ...filter,
  after: Type.Optional(nameOf('`nextCursor` of the previous page')),
  limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
});

export const AuditExportQuery = Type.Object(filter);
export type AuditExportQuery = Static<typeof AuditExportQuery>;

export const AuditRecord = Type.Object(
  {
    id: Type.String(),
    at: Type.String({ description: 'When the action began' }),
    actor: Type.Object({
      userId: Type.Union([Type.String(), Type.Null()], {
        description: 'The verified user, also of an operator who sent a token beside the console key',
      }),
      roles: Type.Array(Type.String()),
      tenantId: Type.Union([Type.String(), Type.Null()]),
      channel: Type.Unsafe<'token' | 'console-key' | 'link' | 'webhook' | 'open' | 'server'>({
        type: 'string',
        enum: ['token', 'console-key', 'link', 'webhook', 'open', 'server'],
        description:
          '`open`: without a credential, where none is needed. `server`: code of the app answered for the user, or nobody acted, such as at the end of a time limit',
      }),
      address: Type.String({ description: 'The IP address' }),
    }),
    action: Type.String(),
    target: Type.Object(
      {
        agentId: Type.Optional(Type.String()),
        approvalId: Type.Optional(Type.String()),
        bulkId: Type.Optional(Type.String()),
        conversationId: Type.Optional(Type.String()),
        executionId: Type.Optional(Type.String()),
        userId: Type.Optional(Type.String()),
        workflowId: Type.Optional(Type.String()),
      },
      { description: 'The ids that the request named' },
    ),
    detail: Type.Optional(anyObject({ description: 'What was requested, such as a decision and its reason' })),
    outcome: Type.Union(
      [
        Type.Object({
          at: Type.String(),
          errorCode: Type.Union([Type.String(), Type.Null()], {
            description: 'The code of the error reply; null for a success',
          }),
        }),
        Type.Null(),
      ],
      { description: 'Null while the action runs, and if its process ended before the outcome was written' },
    ),
  },
  { $id: 'AuditRecord' },
);
export type AuditRecord = Static<typeof AuditRecord>;
