export type { ConversationLimits } from './conversations/conversation-table.ts';
export { InMemoryApprovalStore } from './in-memory-approval-store.ts';
export type { InMemoryAuditLogOptions } from './in-memory-audit-log.ts';
export { InMemoryExecutionStore, type InMemoryExecutionStoreOptions } from './executions/in-memory-execution-store.ts';
export { createInMemoryStorage, type InMemoryStorageOptions } from './in-memory-storage.ts';
export { InMemoryStreamStore, type InMemoryStreamStoreOptions } from './streams/in-memory-stream-store.ts';
export {
  createInMemoryTelemetryStore,
  InMemoryTelemetryStore,
  type InMemoryTelemetryStoreOptions,
} from './telemetry/in-memory-telemetry-store.ts';
export { createInMemoryVectorStore, type InMemoryVectorStoreOptions } from './conversations/in-memory-vector-store.ts';
export type { InMemoryWebhookStoreOptions } from './in-memory-webhook-store.ts';
export type { WorkingMemoryLimits } from './conversations/in-memory-working-memory-store.ts';
