import type { Migration } from './migration.ts';
import { writeSummarizedTelemetry } from './trace-summaries.ts';

/**
 * A model call counts for the workflow that its span names, and for no other: one that names none is not charged to the root of its trace. Calls that were counted before keep their
 * workflow. The function differs from that of `trace-summaries.ts` only in this column.
 */
export const nearestWorkflows: Migration = {
  number: 36,
  name: 'nearest-workflows',
  sql: (schema) => ofNamedWorkflow(writeSummarizedTelemetry(schema)),
};

function ofNamedWorkflow(text: string): string {
  return text
    .replace('coalesce(i.workflow_id, known.workflow_id)', () => 'i.workflow_id')
    .replace(`, case when t.entity_type = 'workflow' then t.entity_id end as workflow_id`, () => '');
}
