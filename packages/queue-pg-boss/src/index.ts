export type { DeadLetter } from './dead-letter.ts';
export { createPgBossQueue, type PgBossQueueOptions } from './create-pg-boss-queue.ts';
export type { PgBossQueue } from './pg-boss-queue.ts';
export type { RateLimit, WorkflowLimits } from './places.ts';
