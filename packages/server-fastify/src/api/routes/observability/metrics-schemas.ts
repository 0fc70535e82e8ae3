import { type MetricGroup, metricGroups } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';

const duration = '^[1-9][0-9]{0,3}[mhd]$';

/** The counts and their period. */
export const MetricsQuery = Type.Object({
  range: Type.Optional(
    Type.String({
      pattern: duration,
      description: 'How far back: `90m`, `24h`, `14d`. Default: `24h`, unless `from` is given.',
    }),
  ),
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'An ISO 8601 timestamp, UTC without an offset, instead of `range`. Rounded down to the start of an interval.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'An ISO 8601 timestamp, UTC without an offset. Rounded up to the end of an interval. Default: now.',
    }),
  ),
  interval: Type.Optional(
    Type.String({
      pattern: duration,
      description: 'The length of an interval: minutes, or whole hours. Default: one that gives 40 to 80 points.',
    }),
  ),
  groupBy: Type.Unsafe<MetricGroup>({ type: 'string', enum: [...metricGroups], default: 'none' }),
  group: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: 'Count only this agent, workflow, model or user, as `groupBy` says.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'How many groups are listed.' }),
});
export type MetricsQuery = Static<typeof MetricsQuery>;

const orNull = Type.Union([Type.Number(), Type.Null()]);
const counts = {
  requests: Type.Integer({
    description:
      'Calls of agents, workflows and tools that have ended; a run that continues after a suspension counts again. By agent or workflow: all its runs. By model: its calls.',
  }),
  errors: Type.Integer({ description: 'Requests that failed. Those that were stopped or refused do not count.' }),
  aborted: Type.Integer({ description: 'Requests whose caller has left or stopped them.' }),
  refused: Type.Integer({ description: 'Requests that a guardrail blocked, or that were not accepted.' }),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  cachedInputTokens: Type.Integer({ description: 'The input tokens that came from the cache of a provider.' }),
  cost: Type.Union([Type.Number(), Type.Null()], {
    description:
      'In US dollars; null if no model call has a cost. The option `telemetry.prices` of the server sets prices.',
  }),
  unpricedCalls: Type.Integer({
    description: 'Model calls that used tokens and have no cost, because their price is unknown: `cost` lacks them.',
  }),
};
const latencies = {
  p50Ms: Type.Union([Type.Number(), Type.Null()], {
    description: 'The median duration in milliseconds, at most 14 % from the exact value; null without requests.',
  }),
  p95Ms: orNull,
};

export const MetricTotals = Type.Object({ ...counts, ...latencies }, { $id: 'MetricTotals' });
export type MetricTotals = Static<typeof MetricTotals>;

export const MetricPoint = Type.Object(
  { time: Type.String({ format: 'date-time', description: 'The start of the interval.' }), ...counts, ...latencies },
  { $id: 'MetricPoint' },
);
export type MetricPoint = Static<typeof MetricPoint>;

export const Metrics = Type.Object(
  {
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time', description: 'Exclusive.' }),
    intervalMs: Type.Integer(),
    groupBy: MetricsQuery.properties.groupBy,
    totals: MetricTotals,
    previous: Type.Unsafe<MetricTotals>({
      ...MetricTotals,
      $id: undefined,
      description: 'The time of the same length before.',
    }),
    points: Type.Array(MetricPoint, { description: 'One for each interval.' }),
    groups: Type.Array(
      Type.Object({
        id: Type.String(),
        ...counts,
        ...latencies,
        requestsOverTime: Type.Array(Type.Integer(), { description: 'One for each interval.' }),
      }),
      { description: 'The groups with the most requests first; empty if `groupBy` is `none`.' },
    ),
    other: Type.Union([Type.Object(counts), Type.Null()], {
      description: 'All further groups; null if there are none.',
    }),
  },
  { $id: 'Metrics' },
);
export type Metrics = Static<typeof Metrics>;
