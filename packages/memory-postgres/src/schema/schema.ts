import type { Migration } from '../migrations/migration.ts';
import { approvals } from './approvals.sql.ts';
import { audit } from './audit.sql.ts';
import { conversations } from './conversations/conversations.sql.ts';
import { readMessages } from './conversations/read-messages.sql.ts';
import { saveMessages } from './conversations/save-messages.sql.ts';
import { workingMemory } from './conversations/working-memory.sql.ts';
import { events } from './events.sql.ts';
import { claimExecutions } from './executions/claim.sql.ts';
import { commitExecutions } from './executions/commit.sql.ts';
import { concurrency } from './executions/concurrency.sql.ts';
import { createExecutions } from './executions/create.sql.ts';
import { deleteExecutions } from './executions/delete.sql.ts';
import { dueExecutions } from './executions/due.sql.ts';
import { executions } from './executions/executions.sql.ts';
import { history } from './executions/history.sql.ts';
import { leases } from './executions/leases.sql.ts';
import { mirroredExecutions } from './executions/mirror.sql.ts';
import { nextExecutions } from './executions/next.sql.ts';
import { runnerSessions } from './executions/sessions.sql.ts';
import { inSchema } from './in-schema.ts';
import { streams } from './streams.sql.ts';
import { deleteTelemetry } from './telemetry/delete-telemetry.sql.ts';
import { metrics } from './telemetry/metrics.sql.ts';
import { telemetry } from './telemetry/telemetry.sql.ts';
import { traces } from './telemetry/traces.sql.ts';
import { writeTelemetry } from './telemetry/write-telemetry.sql.ts';
import { users } from './users.sql.ts';
import { webhooks } from './webhooks.sql.ts';

/** In this order: a table before what refers to it. */
const texts = [
  approvals,
  audit,
  executions,
  history,
  deleteExecutions,
  createExecutions,
  leases,
  runnerSessions,
  concurrency,
  dueExecutions,
  claimExecutions,
  nextExecutions,
  commitExecutions,
  mirroredExecutions,
  events,
  webhooks,
  conversations,
  saveMessages,
  readMessages,
  workingMemory,
  users,
  telemetry,
  traces,
  metrics,
  writeTelemetry,
  deleteTelemetry,
  streams,
];

/**
 * The tables, indexes and functions of the storage. Times are milliseconds since the epoch, by the
 * database's clock, to which `shift_ms` is added.
 *
 * The plan of a function is kept for the connection and must not change while the tables grow, so
 * functions that read large tables may use indexes only (`enable_seqscan = off`).
 */
export const schema: Migration = {
  number: 1,
  name: 'first-release',
  sql: (name) => inSchema(texts.join(''), name),
};
