import type { LogFilter, LogRecord, Owner } from '@halyard/contracts';
import type { Telemetry } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { ownerForCaller } from '../../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import { toLogFilter } from './log-filter.ts';
import { LogEntry, LogQuery } from './schemas.ts';
import { toLogEntry } from './to-log-entry.ts';

export const logRoutes = [
  defineRoute({
    method: 'GET',
    url: '/api/logs',
    tier: 'console',
    operationId: 'listSystemLogs',
    readsList: true,
    tag: 'Logs',
    summary: 'List the log of the server, newest first',
    description:
      'Contains only lines that the log level of the server includes, as many as fit into the limit of bytes of a page: while `hasMore` is true, continue with `until`, the time of the last line.',
    query: LogQuery,
    data: Type.Array(LogEntry),
    extra: Type.Object({
      total: Type.Integer({ description: 'The number of matching lines.' }),
      hasMore: Type.Boolean({ description: 'Whether others follow.' }),
      query: LogQuery,
    }),
    handler: async ({ caller, query }, { limits, telemetry }) => {
      const filter = { ...toLogFilter(query, 'query'), maxBytes: limits.pageBytes };
      const { logs, total } = await writtenLogs(telemetry, ownerForCaller(caller), filter);
      const extra = { total, hasMore: logs.length < total, query: knownFields(query) };
      return { data: logs.map(toLogEntry), extra };
    },
  }),
];

/** The query without unknown parameters. */
function knownFields(query: LogQuery): LogQuery {
  const known = Object.entries(query).filter(([name]) => name in LogQuery.properties);
  return { ...Object.fromEntries(known), limit: query.limit };
}

/**
 * The log that an owner may see, newest first, including all lines that were written before the
 * call.
 */
export async function writtenLogs(
  telemetry: Telemetry | undefined,
  owner: Owner,
  filter: LogFilter,
): Promise<{ readonly logs: readonly LogRecord[]; readonly total: number }> {
  if (telemetry === undefined) return { logs: [], total: 0 };
  // Lines are converted to records in the next turn of the event loop.
  await new Promise(setImmediate);
  await telemetry.flush();
  return telemetry.store.listLogs(owner, filter);
}
