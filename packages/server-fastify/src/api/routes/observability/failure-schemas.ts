import { type Static, Type } from '@sinclair/typebox';
import { MetricsQuery } from './metrics-schemas.ts';

/** How many of the newest failed spans are read. */
export const readFailures = 2_000;

const { from, interval, range, to } = MetricsQuery.properties;

/** The failures of this time. */
export const FailureQuery = Type.Object({
  range,
  from,
  to,
  interval,
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many groups are listed.' }),
});
export type FailureQuery = Static<typeof FailureQuery>;

const time = Type.String({ format: 'date-time' });

export const FailureGroup = Type.Object(
  {
    reason: Type.String({ description: 'The message, with `…` for each number and each generated id.' }),
    message: Type.String({ description: 'The whole message of the latest failure.' }),
    errorType: Type.Union([Type.String(), Type.Null()], {
      description: 'A code such as `STEP_TIMED_OUT`, or the class of the error.',
    }),
    count: Type.Integer(),
    firstAt: time,
    lastAt: time,
    countsOverTime: Type.Array(Type.Integer(), { description: 'One for each interval.' }),
    parts: Type.Array(
      Type.Object({
        kind: Type.Unsafe<'agent' | 'model' | 'tool' | 'workflow'>({
          type: 'string',
          enum: ['agent', 'model', 'tool', 'workflow'],
        }),
        id: Type.String(),
        count: Type.Integer({ description: 'How many of the failures passed through it.' }),
      }),
      { description: 'What failed, the most frequent first; at most 8.' },
    ),
    executions: Type.Array(Type.Object({ workflowId: Type.String(), executionId: Type.String() }), {
      description: 'The executions that failed for this reason, the latest first; at most 1 000.',
    }),
    latest: Type.Object({ traceId: Type.String(), spanId: Type.String() }),
  },
  { $id: 'FailureGroup' },
);
export type FailureGroup = Static<typeof FailureGroup>;

export const Failures = Type.Object(
  {
    from: time,
    to: Type.String({ format: 'date-time', description: 'Exclusive.' }),
    intervalMs: Type.Integer(),
    count: Type.Integer({ description: 'How many failures were read.' }),
    isComplete: Type.Boolean({
      description: `False if there are more than ${readFailures} failed spans: the newest were read.`,
    }),
    groups: Type.Array(FailureGroup, { description: 'The reasons with the most failures first.' }),
  },
  { $id: 'Failures' },
);
export type Failures = Static<typeof Failures>;
