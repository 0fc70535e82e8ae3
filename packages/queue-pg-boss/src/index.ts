export { createPgBossQueue, type PgBossQueueOptions } from './create-pg-boss-queue.ts';
export type { DeadLetter } from './dead-letter.ts';
export type { PgBossQueue } from './pg-boss-queue.ts';
export { queueMigrations } from './queue-migrations.ts';
export type { RateLimit, WorkflowLimits } from './slots.ts';
