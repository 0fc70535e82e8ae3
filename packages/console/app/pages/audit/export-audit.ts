import { consoleClient } from '../../api/client.ts';
import { type AuditSearch, toQuery } from './use-audit.ts';

/** All records that match as JSON Lines. @throws Error if the export stops before its end. */
export async function exportAudit(search: AuditSearch): Promise<Blob> {
  const lines: string[] = [];
  for await (const record of consoleClient.audit.export(toQuery(search))) lines.push(`${JSON.stringify(record)}\n`);
  return new Blob(lines, { type: 'application/jsonl' });
}
