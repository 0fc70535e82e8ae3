import { createPostgresStorage } from '@halyard/memory-postgres';

/** The server in `DATABASE_URL`. */
export function openStorage() {
  const connectionString = process.env['DATABASE_URL'] ?? '';
  if (connectionString === '') throw new Error('Set DATABASE_URL, for example in .env: see .env.example');
  return createPostgresStorage({ connectionString });
}
