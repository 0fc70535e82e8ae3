import { searchedLogs } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { levelNames, type LogLevelName } from '../../../runtime/logging/log-levels.ts';
import { Id } from '../common-schemas.ts';
import { aboutLogText, SearchedText } from '../observability/schemas.ts';

const LogLevel = Type.Unsafe<LogLevelName>({ type: 'string', enum: [...levelNames] });

/** Filters of the log, which are combined with AND. */
export const LogQuery = Type.Object({
  level: Type.Optional(Type.Unsafe<LogLevelName>({ ...LogLevel, description: 'This level and higher ones.' })),
  agentId: Type.Optional(Id),
  workflowId: Type.Optional(Id),
  executionId: Type.Optional(Id),
  conversationId: Type.Optional(Id),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Written at or after: an ISO 8601 timestamp, UTC without an offset.',
    }),
  ),
  until: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Written at or before: an ISO 8601 timestamp, UTC without an offset.',
    }),
  ),
  text: Type.Optional(SearchedText(aboutLogText)),
  withoutClient: Type.Optional(
    Type.String({
      description: `Without the lines of requests of this client, such as \`console\`: of the newest ${searchedLogs} lines that match the other filters.`,
      maxLength: 32,
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
});
export type LogQuery = Static<typeof LogQuery>;

/** A line of the log with all fields that were logged. */
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
    userId: Type.Optional(
      Type.String({ description: 'The user to whom the line belongs: with `auth`, only a verified user.' }),
    ),
    namedUserId: Type.Optional(
      Type.String({ description: 'With `auth`, the user that the request names, if this is not the verified user.' }),
    ),
    client: Type.Optional(
      Type.String({ description: 'The client that sent the request, if it has read successfully.' }),
    ),
  },
  { $id: 'LogEntry', additionalProperties: true },
);
export type LogEntry = Static<typeof LogEntry>;
