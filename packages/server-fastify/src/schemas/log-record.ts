import { type Static, Type } from '@sinclair/typebox';
import { anyObject } from './any-object.ts';
import { Id } from './id.ts';

/** A line of the log, in OpenTelemetry's data model. */
export const LogRecord = Type.Object(
  {
    timestamp: Type.String({ format: 'date-time' }),
    traceId: Type.Union([Type.String(), Type.Null()]),
    spanId: Type.Union([Type.String(), Type.Null()]),
    severityNumber: Type.Integer({ description: '1 to 24: 1 trace, 5 debug, 9 info, 13 warn, 17 error, 21 fatal.' }),
    severityText: Type.String(),
    body: Type.String(),
    attributes: anyObject({ description: 'What was logged beside the text.' }),
  },
  { $id: 'LogRecord' },
);
export type LogRecord = Static<typeof LogRecord>;

const page = {
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
};

export const LogPageQuery = Type.Object(page);
export type LogPageQuery = Static<typeof LogPageQuery>;

/** Filters of logs; all hold together. */
export const LogQuery = Type.Object({
  traceId: Type.Optional(Id),
  spanId: Type.Optional(Id),
  severityText: Type.Optional(Type.String({ maxLength: 32, description: 'In any case: `WARN`, `error`.' })),
  severityNumber: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 })),
  from: Type.Optional(Type.String({ description: 'At or after: an ISO 8601 timestamp.' })),
  to: Type.Optional(Type.String({ description: 'At or before: an ISO 8601 timestamp.' })),
  ...page,
});
export type LogQuery = Static<typeof LogQuery>;

/** Newest first. */
export const LogPage = Type.Object(
  {
    logs: Type.Array(LogRecord),
    count: Type.Integer({ description: 'How many are in this answer.' }),
    filter: Type.Partial(LogQuery, { description: 'What was asked for.' }),
  },
  { $id: 'LogPage' },
);
export type LogPage = Static<typeof LogPage>;
