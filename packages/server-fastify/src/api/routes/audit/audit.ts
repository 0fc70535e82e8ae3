import type { AuditFilter, AuditLog, AuditRecord as StoredRecord } from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import { Type } from '@sinclair/typebox';
import { auditedForOperators } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { defineStream, type EventBatches } from '../../define/define-stream.ts';
import { frame } from '../../streaming/frame.ts';
import { toTime } from '../common-schemas.ts';
import { type AuditExportQuery, AuditQuery, AuditRecord, AuditExportQuery as ExportQuery } from './schemas.ts';

const common = { method: 'GET', tier: 'console', tag: 'Audit', role: 'owner', readsList: true } as const;
/** How many records an export reads at once. */
const batchSize = 500;

export const auditRoutes = [
  defineRoute({
    ...common,
    url: '/audit',
    operationId: 'listAudit',
    summary: 'List who did what, newest first',
    query: AuditQuery,
    data: Type.Object({
      records: Type.Array(AuditRecord),
      nextCursor: Type.Union([Type.String(), Type.Null()], {
        description: 'Continue with `after`; null on the last page',
      }),
    }),
    handler: async ({ query: { after, limit, ...filter } }, { storage }) => {
      // One more shows whether others follow.
      const found = await storage.audit.list({ ...toFilter(filter), after, limit: limit + 1 });
      const page = found.slice(0, limit);
      return {
        records: page.map(describeRecord),
        nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
      };
    },
  }),
  defineStream({
    ...common,
    url: '/audit/export',
    operationId: 'exportAudit',
    summary: 'Export all matching records, newest first, one per event',
    description: 'Clients that send `Accept: text/plain` get JSON lines instead of events.',
    query: ExportQuery,
    audit: auditedForOperators('audit.export'),
    event: Type.Union([AuditRecord, Type.Object({ type: Type.Literal('error'), error: Type.String() })]),
    encode: (record: AuditRecord) => frame(record),
    encodeFailure: (error: string) => frame({ type: 'error', error }),
    toText: toLines,
    handler: async ({ query, signal }, { storage }) => allRecords(storage.audit, toFilter(query), signal),
  }),
];

async function* allRecords(
  audit: AuditLog,
  filter: Omit<AuditFilter, 'after' | 'limit'>,
  signal: AbortSignal,
): AsyncGenerator<readonly AuditRecord[], void, undefined> {
  let after: string | undefined;
  while (!signal.aborted) {
    const records = await audit.list({ ...filter, after, limit: batchSize });
    if (records.length > 0) yield records.map(describeRecord);
    if (records.length < batchSize) return;
    after = records.at(-1)?.id;
  }
}

async function* toLines(batches: EventBatches<AuditRecord>): AsyncGenerator<string> {
  for await (const batch of batches) yield batch.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** @throws InvalidInputError for an invalid timestamp. */
function toFilter({ action, actor, from, target, to }: AuditExportQuery): Omit<AuditFilter, 'after' | 'limit'> {
  return {
    action,
    actor,
    target,
    from: from === undefined ? undefined : toTime('query/from', from),
    to: to === undefined ? undefined : toTime('query/to', to),
  };
}

function describeRecord({ actor, at, detail, outcome, target, ...others }: StoredRecord): AuditRecord {
  return {
    ...others,
    at: isoTime(at),
    actor: { ...actor, roles: [...actor.roles] },
    target: { ...target },
    ...(detail !== undefined && { detail: { ...detail } }),
    outcome: outcome && { ...outcome, at: isoTime(outcome.at) },
  };
}
