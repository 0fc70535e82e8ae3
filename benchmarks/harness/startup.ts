import { setTimeout as wait } from 'node:timers/promises';
import { AppProcess } from './app-process.ts';
import { Connection } from './connection.ts';
import { isAgentList } from './replies.ts';
import { get } from './requests.ts';

export interface StartFigures {
  readonly startMs: number;
  readonly residentMb: number;
}

const settleMs = 500;

/**
 * Measures the time from spawning the process to its first 200, and its memory after a short pause.
 */
export async function measureStart(name: string): Promise<StartFigures> {
  const spawnedAt = performance.now();
  const app = await AppProcess.start(name);
  const connection = await Connection.open(app.port);
  try {
    isAgentList(await connection.send(get('/agents')));
    const startMs = performance.now() - spawnedAt;
    await wait(settleMs);
    return { startMs, residentMb: app.residentMb() };
  } finally {
    connection.close();
    await app.stop();
  }
}
