import { ConfigurationError } from '@halyard/contracts';
import { boundedClaims } from './bounded-claims.ts';
import { boundedDeliveries } from './bounded-deliveries.ts';
import { checkpoints } from './checkpoints.ts';
import { commitPlans } from './commit-plans.ts';
import { concurrency } from './concurrency.ts';
import { conversations } from './conversations.ts';
import { creations } from './creations.ts';
import { crowdedDays } from './crowded-days.ts';
import { definitions } from './definitions.ts';
import { dueExecutions } from './due-executions.ts';
import { dueInTurns } from './due-in-turns.ts';
import { eventLookup } from './event-lookup.ts';
import { eventPublishers } from './event-publishers.ts';
import { executionDays } from './execution-days.ts';
import { executions } from './executions.ts';
import { leases } from './leases.ts';
import { lostShares } from './lost-shares.ts';
import { messagePages } from './message-pages.ts';
import { messageParts } from './message-parts.ts';
import { metricOutcomes } from './metric-outcomes.ts';
import type { Migration, MigrationSet } from './migration.ts';
import { nearestWorkflows } from './nearest-workflows.ts';
import { newKeys } from './new-keys.ts';
import { outputs } from './outputs.ts';
import { publishedEvents } from './published-events.ts';
import { quarantine } from './quarantine.ts';
import { rewindsByUsers } from './rewinds-by-users.ts';
import { rowLocks } from './row-locks.ts';
import { runnerList } from './runner-list.ts';
import { sharedTraces } from './shared-traces.ts';
import { sharesByDefinition } from './shares-by-definition.ts';
import { startRules } from './start-rules.ts';
import { streams } from './streams.ts';
import { telemetryMetrics } from './telemetry-metrics.ts';
import { telemetry } from './telemetry.ts';
import { traceSummaries } from './trace-summaries.ts';
import { unlockedSaves } from './unlocked-saves.ts';

/** The migrations of the storage. */
export const storageMigrations: MigrationSet = {
  table: 'migrations',
  migrations: [
    executions,
    conversations,
    telemetry,
    streams,
    rowLocks,
    quarantine,
    definitions,
    publishedEvents,
    concurrency,
    leases,
    dueExecutions,
    startRules,
    outputs,
    executionDays,
    messagePages,
    lostShares,
    checkpoints,
    eventLookup,
    sharesByDefinition,
    commitPlans,
    newKeys,
    telemetryMetrics,
    runnerList,
    unlockedSaves,
    boundedDeliveries,
    traceSummaries,
    dueInTurns,
    crowdedDays,
    creations,
    boundedClaims,
    sharedTraces,
    eventPublishers,
    rewindsByUsers,
    metricOutcomes,
    messageParts,
    nearestWorkflows,
  ],
  printedBy: 'migrations.sql()',
};

/** The migrations of a set with a number greater than `after`, as one script. */
export function migrationScript(set: MigrationSet, { after, schema }: { after: number; schema: string }): string {
  const pending = set.migrations.filter(({ number }) => number > after);
  return [schemaSql(set, schema), ...pending.map((one) => migrationSql(set, one, schema))].join('\n\n');
}

/** Creates the schema, and the table that records which migrations were run, unless they exist. */
export function schemaSql({ table }: MigrationSet, schema: string): string {
  const quoted = quotedSchema(schema);
  // \`create schema if not exists\` needs a right on the database even if the schema exists.
  return `do $$ begin if to_regnamespace('${quoted}') is null then create schema ${quoted}; end if; end $$;
create table if not exists ${quoted}.${table} (number integer primary key, name text not null, run_at timestamptz not null default now());`;
}

/** A migration, and the statement that records it. */
export function migrationSql({ table }: MigrationSet, { name, number, sql }: Migration, schema: string): string {
  const quoted = quotedSchema(schema);
  return `${sql(quoted).trim()}\ninsert into ${quoted}.${table} (number, name) values (${number}, '${name}');`;
}

/** The name of a schema, quoted for SQL. @throws ConfigurationError unless it is a plain identifier. */
export function quotedSchema(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_'))
    throw new ConfigurationError(
      `"${schema}" is not a valid schema name: use up to 63 lower-case letters, digits and underscores, and no "pg_" at the start`,
    );
  return `"${schema}"`;
}
