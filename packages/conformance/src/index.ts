export type { ConformanceCase } from './conformance-case.ts';
export { ConformanceError } from './conformance-error.ts';
export { executionStoreCases } from './execution-store/execution-store-cases.ts';
export type { ExecutionStoreHarness } from './execution-store/execution-store-harness.ts';
