/** Three replicas whose database stops without a word every five to twenty seconds, and starts again. */
import { setTimeout as delay } from 'node:timers/promises';
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
      prepare: async ({ server }) => {
        if (plant === 'early-answers') await holdWriter(server);
      },
      disturb: async ({ server }) => {
        if (plant === 'early-answers') await crashUnwritten(server);
        else await server.crash();
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

/** Stops the process that puts such commits on the disk. */
async function holdWriter(server: PostgresServer): Promise<void> {
  process.kill(await writerOf(server), 'SIGSTOP');
}

/** What has not been written when the server stops is gone. */
async function crashUnwritten(server: PostgresServer): Promise<void> {
  const held = await writerOf(server);
  const crash = server.crash();
  // It is told to end by then, and does so before it writes.
  await delay(1_000);
  process.kill(held, 'SIGCONT');
  await crash;
  await holdWriter(server);
}

async function writerOf(server: PostgresServer): Promise<number> {
  const [row] = await server.query(`select pid from pg_stat_activity where backend_type = 'walwriter'`);
  return Number(new Map(Object.entries(row ?? {})).get('pid'));
}
