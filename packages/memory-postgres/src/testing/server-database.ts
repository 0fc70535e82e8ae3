import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import type { PostgresServer } from './postgres-server.ts';

/** A database of its own on the server that the test files of a run share. */
export type ServerDatabase = Pick<PostgresServer, 'connectionString' | 'query' | 'remove'>;

/** Creates an empty database. Files that stop or crash their server start one instead. */
export async function createServerDatabase(): Promise<ServerDatabase> {
  const shared = inject('postgres');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await query(shared, `create database ${name}`);
  const own = new URL(shared);
  own.pathname = `/${name}`;
  return {
    connectionString: own.href,
    query: (text) => query(own.href, text),
    remove: async () => {
      // The server waits up to 5 s for connections that are being closed. To cut one would be an
      // error that nobody handles.
      await query(shared, `drop database ${name}`).catch(() => query(shared, `drop database ${name} with (force)`));
    },
  };
}

async function query(connectionString: string, text: string): Promise<readonly object[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}
