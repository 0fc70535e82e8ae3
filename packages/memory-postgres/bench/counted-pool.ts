import { Pool } from 'pg';

/** A pool that records the text of each statement it sends. */
export function countedPool(connectionString: string): { readonly pool: Pool; readonly statements: string[] } {
  const pool = new Pool({ connectionString });
  const statements: string[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    Object.assign(client, {
      query: (...parameters: unknown[]) => {
        statements.push(textOf(parameters[0]));
        return query(...parameters);
      },
    });
  });
  return { pool, statements };
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query;
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : '';
}
