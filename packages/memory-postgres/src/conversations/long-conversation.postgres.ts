import { silentLogger, type Storage } from '@halyard/contracts';
import { afterAll, beforeAll, describe } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { describeLongConversation } from '../testing/long-conversation.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';

describe('a long conversation in two processes on a PostgreSQL server', () => {
  let server: ServerDatabase;
  const storages: Storage[] = [];
  beforeAll(async () => {
    server = await createServerDatabase();
    const { connectionString } = server;
    for (let process = 0; process < 2; process += 1)
      storages.push(createPostgresStorage({ connectionString, maxConnections: 3, logger: silentLogger }));
  });
  afterAll(async () => {
    await Promise.all(storages.map((storage) => storage.close()));
    await server.remove();
  });

  describeLongConversation(() => storages);
});
