export { InMemoryApprovalStore } from './in-memory-approval-store.ts';
export { InMemoryExecutionStore, type InMemoryExecutionStoreOptions } from './in-memory-execution-store.ts';
export { createInMemoryStorage, type InMemoryStorageOptions } from './in-memory-storage.ts';
