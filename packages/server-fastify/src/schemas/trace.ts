import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';
import { Span, SpanNode } from './span.ts';

const TraceStatus = Type.Unsafe<'running' | 'ok' | 'error'>({ type: 'string', enum: ['running', 'ok', 'error'] });

/** A trace, as lists show it. */
export const TraceSummary = Type.Object(
  {
    traceId: Type.String(),
    rootSpan: Span,
    spanCount: Type.Integer(),
    startTime: Type.String({ format: 'date-time' }),
    endTime: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Null while it runs.' }),
    durationMs: Type.Union([Type.Number(), Type.Null()]),
    status: TraceStatus,
    entityId: Type.Union([Type.String(), Type.Null()]),
    entityType: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'TraceSummary' },
);
export type TraceSummary = Static<typeof TraceSummary>;

/** All that happened in a trace: as a list by its beginning, and as a tree. */
export const Trace = Type.Object(
  { traceId: Type.String(), spans: Type.Array(Span), tree: Type.Array(SpanNode), spanCount: Type.Integer() },
  { $id: 'Trace' },
);
export type Trace = Static<typeof Trace>;

export const TracePage = Type.Object(
  {
    traces: Type.Array(TraceSummary),
    count: Type.Integer({ description: 'How many are in this answer.' }),
    total: Type.Integer({ description: 'How many there are.' }),
  },
  { $id: 'TracePage' },
);

/** What begins a trace. */
export const EntityType = Type.Unsafe<'agent' | 'workflow' | 'tool'>({
  type: 'string',
  enum: ['agent', 'workflow', 'tool'],
});

/** Filters of the list of traces; all hold together. */
export const TraceQuery = Type.Object({
  entityId: Type.Optional(Id),
  entityType: Type.Optional(EntityType),
  status: Type.Optional(TraceStatus),
  from: Type.Optional(Type.String({ description: 'Begun at or after: an ISO 8601 timestamp.' })),
  to: Type.Optional(Type.String({ description: 'Begun at or before: an ISO 8601 timestamp.' })),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
});
export type TraceQuery = Static<typeof TraceQuery>;
