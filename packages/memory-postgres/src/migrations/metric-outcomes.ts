import type { Migration } from './migration.ts';
import { cellsOf, countSpans } from './telemetry-metrics.ts';

/**
 * Metrics count which requests were aborted and which were refused. Cells that were counted before have 0 of them, also when their spans are subtracted later. The function differs from
 * that of `telemetry-metrics.ts` only in these columns.
 */
export const metricOutcomes: Migration = {
  number: 34,
  name: 'metric-outcomes',
  sql: (schema) => `
alter table ${schema}.telemetry_metrics
  add column aborted bigint not null default 0,
  add column refused bigint not null default 0;
${countOutcomes(schema)}`,
};

/** As `cellsOf`, with the aborted and the refused requests. */
export function cellsWithOutcomes(schema: string, spans: string): string {
  return withOutcomes(cellsOf(schema, spans));
}

function withOutcomes(text: string): string {
  return text.replaceAll(
    'as errors,',
    () => `as errors,
      sum(s.sign) filter (where p.counts and s.status = 'aborted') as aborted,
      sum(s.sign) filter (where p.counts and s.status = 'refused') as refused,`,
  );
}

function countOutcomes(schema: string): string {
  return withOutcomes(countSpans(schema))
    .replace('create function', 'create or replace function')
    .replace('requests, errors,', () => 'requests, errors, aborted, refused,')
    .replace('coalesce(c.errors, 0),', () => 'coalesce(c.errors, 0), coalesce(c.aborted, 0), coalesce(c.refused, 0),')
    .replace(
      'errors = m.errors + excluded.errors,',
      () => `errors = m.errors + excluded.errors,
      aborted = greatest(m.aborted + excluded.aborted, 0), refused = greatest(m.refused + excluded.refused, 0),`,
    );
}
