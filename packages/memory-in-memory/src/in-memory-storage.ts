import { randomUUID } from 'node:crypto';
import { type Clock, ConfigurationError, type Ids, type Storage, systemClock } from '@halyard/contracts';
import { type ConversationLimits, ConversationTable } from './conversations/conversation-table.ts';
import { InMemoryConversationStore } from './conversations/in-memory-conversation-store.ts';
import {
  InMemoryWorkingMemoryStore,
  type WorkingMemoryLimits,
} from './conversations/in-memory-working-memory-store.ts';
import { InMemoryExecutionMirror } from './executions/in-memory-execution-mirror.ts';
import { InMemoryExecutionStore, type InMemoryExecutionStoreOptions } from './executions/in-memory-execution-store.ts';
import { InMemoryApprovalStore } from './in-memory-approval-store.ts';
import { InMemoryAuditLog, type InMemoryAuditLogOptions } from './in-memory-audit-log.ts';
import { InMemoryUserDataStore } from './in-memory-user-data-store.ts';
import { InMemoryWebhookStore, type InMemoryWebhookStoreOptions } from './in-memory-webhook-store.ts';
import { InMemoryStreamStore, type InMemoryStreamStoreOptions } from './streams/in-memory-stream-store.ts';
import { InMemoryTelemetryStore, type InMemoryTelemetryStoreOptions } from './telemetry/in-memory-telemetry-store.ts';

export interface InMemoryStorageOptions {
  /** Limits of the audit trail. Beyond them, the first records are deleted. */
  readonly audit?: InMemoryAuditLogOptions | undefined;
  readonly clock?: Clock | undefined;
  /** Makes the ids of the messages of cloned conversations. */
  readonly ids?: Ids | undefined;
  /**
   * Limits of the conversations with their messages and working memory. Beyond them, the
   * conversation whose last change is the oldest is deleted.
   */
  readonly conversations?: ConversationLimits | undefined;
  /**
   * Limits of the executions. Beyond those of finished executions, the one that ended first is
   * deleted. Beyond those of unfinished ones, such as suspended ones, no more are started.
   */
  readonly executions?: InMemoryExecutionStoreOptions | undefined;
  /**
   * Limits of the streams of resumable replies. Beyond them, the stream that ended first is
   * deleted.
   */
  readonly streams?: InMemoryStreamStoreOptions | undefined;
  /** Limits of spans and logs. Beyond them, the oldest are deleted. */
  readonly telemetry?: InMemoryTelemetryStoreOptions | undefined;
  /** Limits of the deliveries of webhooks. Beyond them, the first are deleted. */
  readonly webhooks?: InMemoryWebhookStoreOptions | undefined;
  /**
   * Limits of the working memory of users. Beyond them, the user's whose last write is the oldest
   * is deleted.
   */
  readonly workingMemory?: WorkingMemoryLimits | undefined;
}

/**
 * Everything a server stores, in this process: gone when it ends. Values that the stores return
 * must not be changed.
 *
 * @throws ConfigurationError for a limit that is not a whole number.
 */
export function createInMemoryStorage(options: InMemoryStorageOptions = {}): Storage {
  checkLimits(options);
  const {
    audit = {},
    clock = systemClock,
    ids = { next: randomUUID },
    conversations = {},
    executions = {},
    streams = {},
    telemetry = {},
    webhooks = {},
    workingMemory = {},
  } = options;
  const table = new ConversationTable(conversations);
  const workingMemoryStore = new InMemoryWorkingMemoryStore(table, workingMemory);
  const webhookStore = new InMemoryWebhookStore(clock, webhooks);
  const executionStore = new InMemoryExecutionStore(clock, executions, webhookStore);
  const approvals = new InMemoryApprovalStore(clock, webhookStore);
  const streamStore = new InMemoryStreamStore(clock, streams);
  return {
    approvals,
    audit: new InMemoryAuditLog(audit),
    conversations: new InMemoryConversationStore(table, clock, ids),
    executions: executionStore,
    executionMirror: new InMemoryExecutionMirror(),
    streams: streamStore,
    telemetry: new InMemoryTelemetryStore(telemetry),
    users: new InMemoryUserDataStore({
      approvals,
      conversations: table,
      workingMemory: workingMemoryStore,
      executions: executionStore,
      streams: streamStore,
      webhooks: webhookStore,
    }),
    webhooks: webhookStore,
    workingMemory: workingMemoryStore,
    check: async () => {},
    close: async () => {},
  };
}

function checkLimits(options: InMemoryStorageOptions): void {
  for (const name of limited)
    for (const [limit, value] of Object.entries(options[name] ?? {})) checkLimit(`${name}.${limit}`, value);
}

function checkLimit(name: string, value: unknown): void {
  if (value === undefined || value === Infinity || (Number.isSafeInteger(value) && Number(value) >= 0)) return;
  throw new ConfigurationError(
    `The option \`${name}\` of createInMemoryStorage must be a whole number of at least 0, or Infinity, not ${typeof value === 'number' ? value : JSON.stringify(value)}`,
  );
}

const limited = ['audit', 'conversations', 'executions', 'streams', 'telemetry', 'webhooks', 'workingMemory'] as const;
