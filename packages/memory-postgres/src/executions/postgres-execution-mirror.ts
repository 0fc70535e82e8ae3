import {
  approverKeys,
  defaultMaxTotal,
  type Execution,
  type ExecutionFilter,
  type ExecutionMirror,
  type ExecutionPage,
  type Owner,
} from '@halyard/contracts';
import { type Expression, expressionBuilder, sql, type SqlBool } from 'kysely';
import type { Database } from '../connection/database.ts';
import { isOneOf, isOwnedBy } from '../connection/sql-fragments.ts';
import type { Tables } from '../connection/tables.ts';
import { fromText, toText } from '../connection/text-codec.ts';
import { withinTime } from './reads/list-executions.ts';
import { metadataDigests } from './reads/metadata-digests.ts';

/** Copies of an engine's executions in the database, for the lists of all processes. */
export class PostgresExecutionMirror implements ExecutionMirror {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(owner: Owner, filter: ExecutionFilter): Promise<ExecutionPage> {
    const { limit, maxBytes = Infinity, maxTotal = defaultMaxTotal, offset } = filter;
    const matches = matching(owner, filter);
    const [rows, counted] = await Promise.all([
      this.#database.read((db) =>
        db
          .selectFrom('mirrored_executions as e')
          .select([
            'e.execution',
            sql<string | number>`sum(octet_length(e.execution)) over (order by e.created_at desc, e.key desc)`.as(
              'bytes',
            ),
          ])
          .where(matches)
          .orderBy('e.created_at', 'desc')
          .orderBy('e.key', 'desc')
          // One more than the page tells whether others follow.
          .limit(limit + 1)
          .offset(offset)
          .execute(),
      ),
      this.#database.read((db) =>
        db
          .selectFrom((eb) =>
            eb.selectFrom('mirrored_executions as e').select('e.key').where(matches).limit(maxTotal).as('some'),
          )
          .select((eb) => eb.fn.countAll<string | number>().as('total'))
          .execute(),
      ),
    ]);
    const page = rows.slice(0, limit).filter(({ bytes }, index) => index === 0 || Number(bytes) <= maxBytes);
    return {
      executions: page.map(({ execution }) => JSON.parse(execution) as Execution),
      total: Number(counted[0]?.total ?? 0),
      hasMore: rows.length > page.length,
    };
  }

  async write(root: Execution, revision: number): Promise<void> {
    const { createdAt, creationId, endedAt, id, metadata, quarantinedAt, status, suspensions, userId, workflowId } =
      root;
    const keys = suspensions.flatMap(({ rules }) => (rules === undefined ? [] : approverKeys(rules)));
    const row = {
      creation_id: toText(creationId),
      workflow_id: toText(workflowId),
      user_id: userId === undefined ? null : toText(userId),
      status,
      created_at: createdAt,
      ended_at: endedAt,
      quarantined_at: quarantinedAt,
      metadata_digests: metadataDigests(metadata),
      approver_keys: keys.length === 0 ? null : keys,
      revision,
      // JSON escapes what `text` cannot hold.
      execution: JSON.stringify(root),
    };
    await this.#database.run((db) =>
      db
        .insertInto('mirrored_executions')
        .values({ id: toText(id), ...row })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(row)
            .where((eb) =>
              eb.or([
                eb('mirrored_executions.creation_id', '<>', row.creation_id),
                eb('mirrored_executions.revision', '<=', revision),
              ]),
            ),
        )
        .execute(),
    );
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#database.run((db) =>
      db
        .deleteFrom('mirrored_executions')
        .where(isOneOf('id', ids.map(toText)))
        .execute(),
    );
  }

  async endedBy(endedAt: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('mirrored_executions')
        .select('id')
        .where('ended_at', '<=', Math.floor(Math.min(endedAt, Number.MAX_SAFE_INTEGER)))
        .orderBy('ended_at')
        .limit(limit)
        .execute(),
    );
    return rows.map(({ id }) => fromText(id));
  }

  async rootsOf(userId: string): Promise<readonly string[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('mirrored_executions')
        .select('id')
        .where('user_id', '=', toText(userId))
        .orderBy('created_at')
        .orderBy('key')
        .execute(),
    );
    return rows.map(({ id }) => fromText(id));
  }
}

/** What an execution keeps from its start to its end. */
function inList(
  owner: Owner,
  { userId, workflowId }: Pick<ExecutionFilter, 'userId' | 'workflowId'>,
): Expression<SqlBool> {
  const eb = expressionBuilder<{ readonly e: Tables['mirrored_executions'] }, 'e'>();
  const conditions: Expression<SqlBool>[] = [isOwnedBy(owner, 'e.user_id')];
  if (workflowId !== undefined) conditions.push(eb('e.workflow_id', '=', toText(workflowId)));
  if (userId !== undefined) conditions.push(eb('e.user_id', '=', toText(userId)));
  return eb.and(conditions);
}

function matching(owner: Owner, filter: ExecutionFilter): Expression<SqlBool> {
  const {
    after,
    approverKeys: keys,
    exceptWorkflowIds = [],
    from,
    ids,
    isQuarantined,
    metadata = {},
    status,
    to,
  } = filter;
  const eb = expressionBuilder<Tables & { readonly e: Tables['mirrored_executions'] }, 'e'>();
  const conditions: Expression<SqlBool>[] = [inList(owner, filter)];
  const digests = metadataDigests(metadata);
  if (ids !== undefined) conditions.push(isOneOf('e.id', ids.map(toText)));
  if (exceptWorkflowIds.length > 0)
    conditions.push(sql<SqlBool>`e.workflow_id <> all(${exceptWorkflowIds.map(toText)}::text[])`);
  if (status !== undefined) conditions.push(eb('e.status', '=', status));
  if (isQuarantined !== undefined) conditions.push(eb('e.quarantined_at', 'is not', null));
  if (from !== undefined) conditions.push(eb('e.created_at', '>=', withinTime(Math.ceil(from))));
  if (to !== undefined) conditions.push(eb('e.created_at', '<=', withinTime(Math.floor(to))));
  if (keys !== undefined) conditions.push(sql<SqlBool>`e.approver_keys && ${keys}::text[]`);
  // The first part repeats the predicate of the partial index.
  if (digests.length > 0)
    conditions.push(sql<SqlBool>`e.metadata_digests <> '{}' and e.metadata_digests @> ${digests}::text[]`);
  if (after !== undefined)
    conditions.push(
      eb(
        eb.refTuple('e.created_at', 'e.key'),
        '<',
        eb
          .selectFrom('mirrored_executions as e')
          .select(['e.created_at', 'e.key'])
          .where('e.id', '=', toText(after))
          .where(inList(owner, filter))
          .$asTuple('created_at', 'key'),
      ),
    );
  return eb.and(conditions);
}
