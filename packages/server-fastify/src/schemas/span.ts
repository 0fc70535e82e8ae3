import { type Static, Type } from '@sinclair/typebox';
import { anyObject } from './any-object.ts';

/** By the names of OpenTelemetry's semantic conventions. */
const SpanAttributes = anyObject({
  description: 'By the names of OpenTelemetry’s semantic conventions: texts, numbers, booleans and lists of these.',
});

const spanFields = {
  traceId: Type.String(),
  spanId: Type.String(),
  parentSpanId: Type.Union([Type.String(), Type.Null()]),
  name: Type.String(),
  kind: Type.Integer({ description: '0 internal, 1 server, 2 client, 3 producer, 4 consumer.' }),
  startTime: Type.String({ format: 'date-time' }),
  endTime: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Null while it runs.' }),
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

/** One piece of work. */
export const Span = Type.Object(spanFields, { $id: 'Span' });
export type Span = Static<typeof Span>;

/** A span with what it caused. */
export const SpanNode = Type.Recursive((Node) => Type.Object({ ...spanFields, children: Type.Array(Node) }), {
  $id: 'SpanNode',
});
export type SpanNode = Static<typeof SpanNode>;
