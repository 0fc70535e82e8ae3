import { type Static, Type } from '@sinclair/typebox';
import { LogLevel } from './log-query.ts';

/** A line of the log, with whatever was logged beside its text. */
export const LogEntry = Type.Object(
  {
    timestamp: Type.String({ description: 'ISO 8601.' }),
    level: LogLevel,
    msg: Type.String(),
    component: Type.Optional(Type.String()),
    requestId: Type.Optional(Type.String()),
    traceId: Type.Optional(Type.String()),
    spanId: Type.Optional(Type.String()),
    agentId: Type.Optional(Type.String()),
    workflowId: Type.Optional(Type.String()),
    executionId: Type.Optional(Type.String()),
    conversationId: Type.Optional(Type.String()),
    userId: Type.Optional(Type.String()),
  },
  { $id: 'LogEntry', additionalProperties: true },
);
export type LogEntry = Static<typeof LogEntry>;
