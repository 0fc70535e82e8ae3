/** Prints all data of a user, one JSON record per line: `node src/export-user.ts ada`. */
import { createPostgresStorage } from '@halyard/memory-postgres';
import { readDatabaseUrl } from './settings.ts';

const [userId] = process.argv.slice(2);
if (userId === undefined) throw new Error('Usage: node src/export-user.ts <user id>');
const storage = createPostgresStorage({
  connectionString: readDatabaseUrl(),
  maxConnections: 2,
  autoMigrate: false,
});
for await (const record of storage.users.export(userId)) console.log(JSON.stringify(record));
await storage.close();
