export type { ConversationLimits } from './conversation-table.ts';
export { InMemoryApprovalStore } from './in-memory-approval-store.ts';
export { InMemoryExecutionStore, type InMemoryExecutionStoreOptions } from './in-memory-execution-store.ts';
export { createInMemoryStorage, type InMemoryStorageOptions } from './in-memory-storage.ts';
export { InMemoryStreamStore, type InMemoryStreamStoreOptions } from './in-memory-stream-store.ts';
export {
  createInMemoryTelemetryStore,
  InMemoryTelemetryStore,
  type InMemoryTelemetryStoreOptions,
} from './in-memory-telemetry-store.ts';
export { createInMemoryVectorStore, type InMemoryVectorStoreOptions } from './in-memory-vector-store.ts';
export type { UserNotesLimits } from './user-notes.ts';
