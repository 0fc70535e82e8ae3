import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';
import { memoryFields } from './memory-query.ts';

/** Which conversations are listed, and in which order. */
export const ConversationQuery = Type.Object({
  ...memoryFields,
  resourceId: Type.Optional(
    Type.String({ pattern: Id.pattern, description: 'Default: the `agentId` of the query; without one, any.' }),
  ),
  orderBy: Type.Unsafe<'created_at' | 'updated_at' | 'title'>({
    type: 'string',
    enum: ['created_at', 'updated_at', 'title'],
    default: 'updated_at',
  }),
  orderDirection: Type.String({
    pattern: '^([Aa][Ss][Cc]|[Dd][Ee][Ss][Cc])$',
    default: 'DESC',
    description: '`ASC` or `DESC`, in any case.',
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
});
export type ConversationQuery = Static<typeof ConversationQuery>;
