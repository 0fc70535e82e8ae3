const tables = [
  'approvals',
  'audit_log',
  'conversations',
  'deleted_executions',
  'executions',
  'execution_events',
  'execution_journal',
  'logs',
  'mirrored_executions',
  'published_events',
  'runners',
  'runner_sessions',
  'spans',
  'streams',
  'telemetry_counts',
  'telemetry_metrics',
  'traces',
  'webhook_deliveries',
  'webhook_endpoints',
  'working_memory',
];

/** Deletes all rows. With few rows this is faster than `truncate`. */
export async function emptyTables(query: (text: string) => Promise<unknown>): Promise<void> {
  await query(tables.map((table) => `delete from halyard.${table};`).join(' '));
}
