import {
  type FeedbackRating,
  feedbackRatings,
  searchedLogs,
  searchedTraces,
  type TraceOrder,
  traceOrders,
} from '@halyard/contracts';
import { type Static, type TString, Type } from '@sinclair/typebox';
import { anyObject, ExternalId, Id } from '../common-schemas.ts';

/** Whether and where the server records, and how much is stored. */
export const ObservabilityStatus = Type.Object(
  {
    enabled: Type.Boolean(),
    storage: Type.Union([Type.String(), Type.Null()], {
      description: '`in-memory`, `postgres`, or null if nothing is recorded.',
    }),
    persistent: Type.Boolean({ description: 'Whether records outlive the process.' }),
    websocket: Type.String({ description: 'Path of the WebSocket that sends new records.' }),
    traceCount: Type.Integer(),
    spanCount: Type.Integer(),
    logCount: Type.Integer(),
    message: Type.String(),
  },
  { $id: 'ObservabilityStatus' },
);
export type ObservabilityStatus = Static<typeof ObservabilityStatus>;

const SpanAttributes = anyObject({
  description:
    'Named by the semantic conventions of OpenTelemetry. Values are strings, numbers, booleans and arrays of them.',
});

const spanFields = {
  traceId: Type.String(),
  spanId: Type.String(),
  parentSpanId: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  kind: Type.Integer({ description: '0 internal, 1 server, 2 client, 3 producer, 4 consumer.' }),
  startTime: Type.String({ format: 'date-time' }),
  endTime: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Null until it ends.' }),
  durationMs: Type.Union([Type.Number(), Type.Null()]),
  attributes: SpanAttributes,
  status: Type.Object({
    code: Type.Integer({ description: '0 unset, 1 ok, 2 error.' }),
    message: Type.Optional(Type.String()),
  }),
  events: Type.Array(
    Type.Object({
      name: Type.String(),
      time: Type.String({ format: 'date-time' }),
      attributes: Type.Optional(SpanAttributes),
    }),
  ),
  links: Type.Array(
    Type.Object({ traceId: Type.String(), spanId: Type.String(), attributes: Type.Optional(SpanAttributes) }),
  ),
  resource: SpanAttributes,
  instrumentationScope: Type.Object({ name: Type.String(), version: Type.Optional(Type.String()) }),
};

export const Span = Type.Object(spanFields, { $id: 'Span' });
export type Span = Static<typeof Span>;

/** A span with its children. */
export const SpanNode = Type.Recursive((Node) => Type.Object({ ...spanFields, children: Type.Array(Node) }), {
  $id: 'SpanNode',
});
export type SpanNode = Static<typeof SpanNode>;

const hasMore = Type.Boolean({ description: 'Whether others follow.' });

const TraceStatus = Type.Unsafe<'running' | 'ok' | 'error' | 'aborted' | 'refused'>({
  type: 'string',
  enum: ['running', 'ok', 'error', 'aborted', 'refused'],
  description:
    'Of the latest part. `aborted`: the caller has left or stopped it. `refused`: a guardrail blocked it, or its request was not accepted.',
});

/** A trace, as `GET /observability/traces` returns it. */
export const TraceSummary = Type.Object(
  {
    traceId: Type.String(),
    rootSpan: Span,
    spanCount: Type.Integer(),
    startTime: Type.String({ format: 'date-time' }),
    endTime: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Null until it ends.' }),
    durationMs: Type.Union([Type.Number(), Type.Null()]),
    status: TraceStatus,
    entityId: Type.Union([Type.String(), Type.Null()]),
    entityType: Type.Union([Type.String(), Type.Null()]),
    models: Type.Array(Type.String(), { description: 'The models that were called.' }),
    inputTokens: Type.Integer({ description: 'Of all model calls.' }),
    outputTokens: Type.Integer(),
    cost: Type.Union([Type.Number(), Type.Null()], {
      description: 'US dollars of all model calls; null if none carries a cost.',
    }),
    failure: Type.Optional(
      Type.Object(
        { message: Type.String(), spanId: Type.String() },
        { description: 'Of a trace with the status `error`: the first span that failed by itself, and why.' },
      ),
    ),
    feedback: Type.Optional(
      Type.Object(
        { up: Type.Integer(), down: Type.Integer() },
        { description: 'How many ratings its replies have. Absent without any.' },
      ),
    ),
  },
  { $id: 'TraceSummary' },
);
export type TraceSummary = Static<typeof TraceSummary>;

/** Spans of a trace: as a list in the order of their start, and as a tree. */
export const Trace = Type.Object(
  {
    traceId: Type.String(),
    spans: Type.Array(Span),
    tree: Type.Array(SpanNode),
    spanCount: Type.Integer({ description: 'The number of spans in this response.' }),
    hasMore,
  },
  { $id: 'Trace' },
);
export type Trace = Static<typeof Trace>;

export const TracePage = Type.Object(
  {
    traces: Type.Array(TraceSummary),
    count: Type.Integer({ description: 'The number of traces in this response.' }),
    total: Type.Integer({ description: 'The number of matching traces.' }),
    hasMore,
  },
  { $id: 'TracePage' },
);

/** Spans of any traces. */
export const SpanPage = Type.Object(
  {
    spans: Type.Array(Span),
    count: Type.Integer({ description: 'The number of spans in this response.' }),
    total: Type.Integer({ description: 'The number of matching spans.' }),
    hasMore,
  },
  { $id: 'SpanPage' },
);

/** A text to search for. A to Z match in either case. */
export function SearchedText(description: string): TString {
  return Type.String({ minLength: 1, maxLength: 200, description });
}

export const aboutLogText = `The message or the fields contain this text. Covers the newest ${searchedLogs} that match the other filters.`;

/** The kind of entity that started a trace. */
export const EntityType = Type.Unsafe<'agent' | 'workflow' | 'tool'>({
  type: 'string',
  enum: ['agent', 'workflow', 'tool'],
});

const ofNewest = `Covers the newest ${searchedTraces} that match \`entityId\`, \`entityType\`, \`status\`, \`userId\` and the times.`;
const partId = { minLength: 1, maxLength: 1_024 } as const;

/** Filters of the list of traces, which are combined with AND. */
export const TraceQuery = Type.Object({
  entityId: Type.Optional(Id),
  entityType: Type.Optional(EntityType),
  status: Type.Optional(TraceStatus),
  userId: Type.Optional(ExternalId),
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Started at or after: an ISO 8601 timestamp, UTC without an offset.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Started at or before: an ISO 8601 timestamp, UTC without an offset.',
    }),
  ),
  text: Type.Optional(
    SearchedText(
      `One of their spans contains this text: its name, input, output, arguments, error and other attributes. ${ofNewest}`,
    ),
  ),
  agentId: Type.Optional(
    Type.String({ ...partId, description: `With a run of this agent, also a delegated one. ${ofNewest}` }),
  ),
  toolName: Type.Optional(Type.String({ ...partId, description: `With a call of this tool. ${ofNewest}` })),
  model: Type.Optional(
    Type.String({ ...partId, description: `With a call of this model, as metrics name it. ${ofNewest}` }),
  ),
  minDurationMs: Type.Optional(
    Type.Number({ minimum: 0, description: `Took at least as long, and have ended. ${ofNewest}` }),
  ),
  minTokens: Type.Optional(
    Type.Integer({ minimum: 0, description: `Used at least as many tokens, input and output together. ${ofNewest}` }),
  ),
  minCost: Type.Optional(Type.Number({ minimum: 0, description: `Cost at least as many US dollars. ${ofNewest}` })),
  feedback: Type.Optional(
    Type.Unsafe<FeedbackRating>({
      type: 'string',
      enum: [...feedbackRatings],
      description: `A person has given this rating to a reply. ${ofNewest}`,
    }),
  ),
  sort: Type.Unsafe<TraceOrder>({
    type: 'string',
    enum: [...traceOrders],
    default: 'startTime',
    description: `The greatest first. Other than \`startTime\`: ${ofNewest}`,
  }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
});
export type TraceQuery = Static<typeof TraceQuery>;

const { from: startedFrom, to: startedTo, userId: ofUser } = TraceQuery.properties;

/** Filters of the list of spans, which are combined with AND. */
export const SpanQuery = Type.Object({
  entityType: Type.Optional(EntityType),
  entityId: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_024, description: 'Only calls of this model, as metrics name it.' }),
  ),
  status: Type.Optional(
    Type.Unsafe<'running' | 'ok' | 'error' | 'aborted' | 'refused' | 'ended'>({
      type: 'string',
      enum: ['running', 'ok', 'error', 'aborted', 'refused', 'ended'],
      description: '`ended`: every other than `running`, as metrics count them.',
    }),
  ),
  entry: Type.Optional(
    Type.Literal(true, { description: 'Only entries: requests, and continuations of suspended runs.' }),
  ),
  userId: ofUser,
  from: startedFrom,
  to: startedTo,
  limit: TraceQuery.properties.limit,
  offset: TraceQuery.properties.offset,
});

/** A line of the log in the data model of OpenTelemetry. */
export const LogRecord = Type.Object(
  {
    timestamp: Type.String({ format: 'date-time' }),
    traceId: Type.Union([Type.String(), Type.Null()]),
    spanId: Type.Union([Type.String(), Type.Null()]),
    severityNumber: Type.Integer({ description: '1 to 24: 1 trace, 5 debug, 9 info, 13 warn, 17 error, 21 fatal.' }),
    severityText: Type.String(),
    body: Type.String(),
    attributes: anyObject({ description: 'The other fields that were logged.' }),
  },
  { $id: 'LogRecord' },
);
export type LogRecord = Static<typeof LogRecord>;

const page = {
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
};

export const SpanPageQuery = Type.Object({
  ...page,
  limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 10_000 }),
  view: Type.Unsafe<'full' | 'outline' | 'steps'>({
    type: 'string',
    enum: ['full', 'outline', 'steps'],
    default: 'full',
    description:
      '`outline`: `tree` is empty, and the spans have no prompts, replies, arguments and results, so that long traces load quickly. `steps`: `tree` is empty, and the calls of models have no prompts and no tools, which each call of a run repeats.',
  }),
});
export type SpanPageQuery = Static<typeof SpanPageQuery>;

export const LogPageQuery = Type.Object(page);
export type LogPageQuery = Static<typeof LogPageQuery>;

/** Filters of log records, which are combined with AND. */
export const LogQuery = Type.Object({
  traceId: Type.Optional(Id),
  spanId: Type.Optional(Id),
  severityText: Type.Optional(Type.String({ maxLength: 32, description: 'In any case, such as `WARN` or `error`.' })),
  severityNumber: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 })),
  from: Type.Optional(
    Type.String({ format: 'date-time', description: 'At or after: an ISO 8601 timestamp, UTC without an offset.' }),
  ),
  to: Type.Optional(
    Type.String({ format: 'date-time', description: 'At or before: an ISO 8601 timestamp, UTC without an offset.' }),
  ),
  text: Type.Optional(SearchedText(aboutLogText)),
  ...page,
});
export type LogQuery = Static<typeof LogQuery>;

/** Newest first. */
export const LogPage = Type.Object(
  {
    logs: Type.Array(LogRecord),
    count: Type.Integer({ description: 'The number of records in this response.' }),
    hasMore,
    filter: Type.Partial(LogQuery, { description: 'The filters of the request.' }),
  },
  { $id: 'LogPage' },
);
export type LogPage = Static<typeof LogPage>;
