import type { LogFilter, LogRecord, Owner } from '@halyard/contracts';
import type { Telemetry } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { ownerOf } from '../access/owner.ts';
import { defineRoute } from '../define/define-route.ts';
import { toLogFilter } from '../logging/log-filter.ts';
import { toLogEntry } from '../logging/to-log-entry.ts';
import { LogEntry } from '../schemas/log-entry.ts';
import { LogQuery } from '../schemas/log-query.ts';

export const logRoutes = [
  defineRoute({
    method: 'GET',
    url: '/api/logs',
    tier: 'console',
    operationId: 'listSystemLogs',
    tag: 'Logs',
    summary: 'List what the server logged, the newest first',
    description: 'Lines that the level of the log leaves out are not there, whatever `level` asks for.',
    query: LogQuery,
    data: Type.Array(LogEntry),
    beside: Type.Object({
      total: Type.Integer({ description: 'How many lines match.' }),
      query: LogQuery,
    }),
    handler: async ({ caller, query }, { telemetry }) => {
      const { logs, total } = await writtenLogs(telemetry, ownerOf(caller), toLogFilter(query, 'query'));
      return { data: logs.map(toLogEntry), beside: { total, query: understood(query) } };
    },
  }),
];

/** A query without what nobody asked for here. */
function understood(query: LogQuery): LogQuery {
  const known = Object.entries(query).filter(([name]) => name in LogQuery.properties);
  return { ...Object.fromEntries(known), limit: query.limit };
}

/** What an owner may see of the log, the newest first, with all that was written before this was asked. */
export async function writtenLogs(
  telemetry: Telemetry | undefined,
  owner: Owner,
  filter: LogFilter,
): Promise<{ readonly logs: readonly LogRecord[]; readonly total: number }> {
  if (telemetry === undefined) return { logs: [], total: 0 };
  // Lines become records in the turn after theirs.
  await new Promise(setImmediate);
  await telemetry.flush();
  return telemetry.store.listLogs(owner, filter);
}
