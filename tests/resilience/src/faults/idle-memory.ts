import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HalyardServer } from '@halyard/server-fastify';

export const memoryPath = '/debug/memory';

/** The memory of a process after garbage collection. */
export interface HeapReport {
  readonly heapBytes: number;
  /** Timers that stay, not those of queries on the way. */
  readonly timers: number;
}

/** Adds a route that returns the {@link HeapReport} of a replica. */
export function addMemoryRoute({ app }: HalyardServer): void {
  app.get(memoryPath, async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let round = 0; round < 5; round += 1) {
      await yieldToEventLoop();
      collect();
    }
    const heapBytes = process.memoryUsage().heapUsed;
    return { data: { heapBytes, timers: await lastingTimers() } satisfies HeapReport };
  });
}

/**
 * The fewest timers at several moments: a query that is on the way has one until it is answered.
 */
async function lastingTimers(): Promise<number> {
  let fewest = Infinity;
  for (let moment = 0; moment < 10; moment += 1) {
    fewest = Math.min(fewest, process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length);
    await delay(20);
  }
  return fewest;
}
