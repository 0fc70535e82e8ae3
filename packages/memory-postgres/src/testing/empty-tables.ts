const tables = [
  'approvals',
  'conversations',
  'executions',
  'execution_events',
  'execution_journal',
  'logs',
  'spans',
  'streams',
  'telemetry_counts',
  'traces',
  'working_memory',
];

/** Deleting a few rows is quicker than to truncate. */
export async function emptyTables(query: (text: string) => Promise<unknown>): Promise<void> {
  await query(tables.map((table) => `delete from halyard.${table};`).join(' '));
}
