import { randomUUID } from 'node:crypto';
import type { Clock, Ids, Storage } from '@halyard/contracts';
import { type ConversationLimits, ConversationTable } from './conversations/conversation-table.ts';
import { InMemoryConversationStore } from './conversations/in-memory-conversation-store.ts';
import { InMemoryWorkingMemoryStore } from './conversations/in-memory-working-memory-store.ts';
import { UserNotes, type UserNotesLimits } from './conversations/user-notes.ts';
import { InMemoryExecutionStore, type InMemoryExecutionStoreOptions } from './executions/in-memory-execution-store.ts';
import { InMemoryApprovalStore } from './in-memory-approval-store.ts';
import { InMemoryUserDataStore } from './in-memory-user-data-store.ts';
import { InMemoryStreamStore, type InMemoryStreamStoreOptions } from './streams/in-memory-stream-store.ts';
import { InMemoryTelemetryStore, type InMemoryTelemetryStoreOptions } from './telemetry/in-memory-telemetry-store.ts';

export interface InMemoryStorageOptions {
  readonly clock?: Clock;
  /** Of the messages of cloned conversations. */
  readonly ids?: Ids;
  /** How many conversations are kept. The one whose last change is the longest ago goes first, with its messages and its working memory. */
  readonly conversations?: ConversationLimits;
  /** How much of what has ended is kept. */
  readonly executions?: InMemoryExecutionStoreOptions;
  /** How much is kept of answers that outlive their clients. Those that ended the longest ago go first. */
  readonly streams?: InMemoryStreamStoreOptions;
  /** How many spans and logs are kept. The oldest go first. */
  readonly telemetry?: InMemoryTelemetryStoreOptions;
  /** How much working memory of users is kept. That which was written the longest ago goes first. */
  readonly workingMemory?: UserNotesLimits;
}

/** Everything a server stores, in this process: gone when it ends. What it hands out is not to be changed. */
export function createInMemoryStorage({
  clock = { now: Date.now },
  ids = { next: randomUUID },
  conversations = {},
  executions = {},
  streams = {},
  telemetry = {},
  workingMemory = {},
}: InMemoryStorageOptions = {}): Storage {
  const table = new ConversationTable(conversations);
  const notes = new UserNotes(workingMemory);
  const executionStore = new InMemoryExecutionStore(clock, executions);
  const streamStore = new InMemoryStreamStore(clock, streams);
  return {
    approvals: new InMemoryApprovalStore(clock),
    conversations: new InMemoryConversationStore(table, clock, ids),
    executions: executionStore,
    streams: streamStore,
    telemetry: new InMemoryTelemetryStore(telemetry),
    users: new InMemoryUserDataStore(table, notes, executionStore, streamStore),
    workingMemory: new InMemoryWorkingMemoryStore(table, notes),
    check: async () => {},
    close: async () => {},
  };
}
