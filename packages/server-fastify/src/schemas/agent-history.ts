import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';
import { Usage } from './usage.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

/** A run of an agent that was recorded. */
export const AgentHistoryEntry = Type.Object(
  {
    id: Type.String(),
    agentId: Type.String(),
    operation: Type.String({ description: '`text`, `stream`, `chat`, `object` or `stream-object`.' }),
    status: Type.Unsafe<'running' | 'completed' | 'error'>({ type: 'string', enum: ['running', 'completed', 'error'] }),
    input: Type.Unknown({ description: 'Messages, any JSON; null where contents are not recorded.' }),
    output: Type.Unknown({
      description: 'Messages, any JSON; null where contents are not recorded, and while it runs.',
    }),
    usage: Usage,
    startedAt: Type.String({ format: 'date-time' }),
    endedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    userId: nullableText,
    conversationId: nullableText,
    traceId: Type.String(),
    error: Type.Optional(Type.String()),
  },
  { $id: 'AgentHistoryEntry' },
);
export type AgentHistoryEntry = Static<typeof AgentHistoryEntry>;

/** Newest first. */
export const AgentHistory = Type.Object(
  {
    entries: Type.Array(AgentHistoryEntry),
    total: Type.Integer(),
    page: Type.Integer(),
    limit: Type.Integer(),
  },
  { $id: 'AgentHistory' },
);
export type AgentHistory = Static<typeof AgentHistory>;

export const AgentHistoryQuery = Type.Object({
  page: Type.Integer({ minimum: 0, maximum: 1_000, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  userId: Type.Optional(Id),
});
export type AgentHistoryQuery = Static<typeof AgentHistoryQuery>;
