import { ConfigurationError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createPgBossQueue } from './create-pg-boss-queue.ts';

const connectionString = 'postgres://127.0.0.1:1/nowhere';

it.each([
  [{ concurrency: 0 }, '"concurrency"'],
  [{ maxWaiting: 1.5 }, '"maxWaiting"'],
  [{ schema: 'Queue"; drop' }, '"schema"'],
  [{ workflows: { orders: { concurrency: -1 } } }, 'workflows["orders"].concurrency'],
  [{ workflows: { orders: { rateLimit: { max: 0, windowMs: 1 } } } }, 'rateLimit.max'],
])('rejects invalid options: %o', (options, named) => {
  expect(() => createPgBossQueue({ connectionString, ...options })).toThrow(ConfigurationError);
  expect(() => createPgBossQueue({ connectionString, ...options })).toThrow(named);
});
