/**
 * Migrates the tables and ends: for replicas with `AUTO_MIGRATE=false`, whose role may not change
 * tables.
 */
import { createPostgresStorage } from '@halyard/memory-postgres';
import { readDatabaseUrl } from './settings.ts';

const connectionString = readDatabaseUrl();
const storage = createPostgresStorage({ connectionString, maxConnections: 2 });
try {
  await storage.opened?.();
  await storage.check();
  console.log('The tables are up to date.');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await storage.close();
}
