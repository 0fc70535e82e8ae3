import { createPostgresStorage } from '@halyard/memory-postgres';

/**
 * The server in `DATABASE_URL`, else a PostgreSQL inside this process, whose data is in the folder
 * `.halyard`.
 */
export function openStorage() {
  const connectionString = process.env['DATABASE_URL'] ?? '';
  return createPostgresStorage(connectionString === '' ? { dataDir: '.halyard' } : { connectionString });
}
