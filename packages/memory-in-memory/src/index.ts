export { InMemoryApprovalStore } from './in-memory-approval-store.ts';
export { createInMemoryStorage, type InMemoryStorageOptions } from './in-memory-storage.ts';
