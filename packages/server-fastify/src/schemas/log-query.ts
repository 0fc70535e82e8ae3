import { type Static, Type } from '@sinclair/typebox';
import { levelNames, type LogLevelName } from '../logging/log-levels.ts';
import { Id } from './id.ts';

/** A level of the log by its name. */
export const LogLevel = Type.Unsafe<LogLevelName>({ type: 'string', enum: [...levelNames] });

/** Which lines of the log are wanted; all filters hold together. */
export const LogQuery = Type.Object({
  level: Type.Optional(Type.Unsafe<LogLevelName>({ ...LogLevel, description: 'This level and those above it.' })),
  agentId: Type.Optional(Id),
  workflowId: Type.Optional(Id),
  executionId: Type.Optional(Id),
  conversationId: Type.Optional(Id),
  since: Type.Optional(Type.String({ description: 'Written at or after: an ISO 8601 timestamp.' })),
  until: Type.Optional(Type.String({ description: 'Written at or before: an ISO 8601 timestamp.' })),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
});
export type LogQuery = Static<typeof LogQuery>;
