import { agentId, prompts } from '../apps/workload.ts';
import { AppProcess } from './app-process.ts';
import { runRound } from './closed-loop.ts';
import { Connection } from './connection.ts';
import { median } from './median.ts';
import { isText } from './replies.ts';
import { generate, get } from './requests.ts';

export interface TelemetryReadFigures {
  readonly tracesMs: number;
  readonly historyMs: number;
}

/** The store holds 10 000 spans. A few may wait to be written. */
const fullStore = 9_900;
const reads = 200;
const write = { clients: 32, request: generate('text', prompts.paced), check: isText };

/**
 * Measures the median time to list recorded runs on a server whose span store is full. Each read
 * follows a few new runs, so that it cannot use what an earlier read has computed. The server is
 * otherwise idle: the time of a read is an upper bound of the time for which it blocks the event
 * loop.
 */
export async function measureTelemetryReads(name: string): Promise<TelemetryReadFigures> {
  const app = await AppProcess.start(name);
  const connection = await Connection.open(app.port);
  try {
    while ((await storedSpans(connection)) < fullStore) await runRound(app, write, 0.5);
    return {
      tracesMs: await readMs(connection, get('/observability/traces?limit=20')),
      historyMs: await readMs(connection, get(`/agents/${agentId}/history?limit=20`)),
    };
  } finally {
    connection.close();
    await app.stop();
  }
}

async function storedSpans(connection: Connection): Promise<number> {
  const { body } = await connection.send(get('/observability/status'));
  const { data }: { data?: { spanCount?: number } } = JSON.parse(body);
  return data?.spanCount ?? 0;
}

async function readMs(connection: Connection, request: Buffer): Promise<number> {
  const taken: number[] = [];
  for (let count = 0; count < reads; count += 1) {
    for (let runs = 0; runs < 5; runs += 1) isText(await connection.send(write.request));
    const sentAt = performance.now();
    const { status } = await connection.send(request);
    taken.push(performance.now() - sentAt);
    if (status !== 200) throw new Error(`the list has status ${status}`);
  }
  return median(taken);
}
