/** Three replicas whose database crashes every five to twenty seconds and restarts. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../../../packages/memory-postgres/src/testing/postgres-server.ts';
import { runDisturbed } from './harness/run-disturbed.ts';
import { runScript } from './harness/run-script.ts';

await runScript({
  name: 'restarts',
  plants: { 'early-answers': /is lost|events, its client received/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const isSmall = plant !== undefined;
    return runDisturbed({
      random,
      plant,
      connectionStringFor: (server) => (plant === 'early-answers' ? earlyAnswers(server) : server.connectionString),
      prepare: async ({ server }) => {
        if (plant === 'early-answers') await pauseWriter(server);
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
      patienceMs: isSmall ? 12_000 : 300_000,
    });
  },
});

/** Connections on which commits are acknowledged before they are on disk. */
function earlyAnswers({ connectionString }: PostgresServer): string {
  return `${connectionString}?options=${encodeURIComponent('-c synchronous_commit=off')}`;
}

/** Pauses the process that writes such commits to disk. */
async function pauseWriter(server: PostgresServer): Promise<void> {
  process.kill(await writerOf(server), 'SIGSTOP');
}

/** Crashes the server, so that unwritten commits are lost. */
async function crashUnwritten(server: PostgresServer): Promise<void> {
  const writer = await writerOf(server);
  const crash = server.crash();
  // The server has sent its processes the signal to end, so the writer ends before it writes.
  await delay(1_000);
  process.kill(writer, 'SIGCONT');
  await crash;
  await pauseWriter(server);
}

async function writerOf(server: PostgresServer): Promise<number> {
  const [row] = await server.query(`select pid from pg_stat_activity where backend_type = 'walwriter'`);
  return Number(new Map(Object.entries(row ?? {})).get('pid'));
}
