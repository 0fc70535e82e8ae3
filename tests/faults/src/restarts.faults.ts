/** Three replicas whose database stops without a word every five to twenty seconds, and starts again. */
import type { Pool } from 'pg';
import type { PostgresServer } from '../../../packages/memory-postgres/src/testing/postgres-server.ts';
import { runDisturbed } from './harness/run-disturbed.ts';
import { runScript } from './harness/run-script.ts';

await runScript({
  name: 'restarts',
  plants: { 'early-answers': /is lost|events, its client got/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const isSmall = plant !== undefined;
    return runDisturbed({
      random,
      plant,
      connectionStringFor: (server) => (plant === 'early-answers' ? earlyAnswers(server) : server.connectionString),
      prepare: async ({ pool }) => {
        if (plant === 'early-answers') await writeLate(pool);
      },
      disturb: async ({ server }) => {
        await server.crash();
        return undefined;
      },
      isStrict: false,
      disturbances: isSmall ? 5 : number('restarts', isShort ? 3 : 60),
      waitMs: isSmall ? [600, 1_200] : isShort ? [1_500, 3_000] : [5_000, 20_000],
      executions: isSmall ? 40 : number('executions', isShort ? 150 : 3_000),
      concurrency: number('concurrency', isShort && !isSmall ? 20 : 40),
      bodyMs: isSmall ? 40 : isShort ? 200 : 150,
      patienceMs: isSmall ? 12_000 : 90_000,
    });
  },
});

/** Connections that are told of a commit before it is on the disk. */
function earlyAnswers({ connectionString }: PostgresServer): string {
  return `${connectionString}?options=${encodeURIComponent('-c synchronous_commit=off')}`;
}

/** What has not been written when the server stops is gone: the last page, as each full one is written at once. */
async function writeLate(pool: Pool): Promise<void> {
  await pool.query(`alter system set wal_writer_delay = '10s'`);
  await pool.query('select pg_reload_conf()');
}
