import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HalyardServer } from '@halyard/server-fastify';

export const memoryPath = '/debug/memory';

/** The memory of a process after garbage collection. */
export interface HeapReport {
  readonly heapBytes: number;
  readonly timers: number;
}

/** Adds a route that returns the {@link HeapReport} of a replica. */
export function addMemoryRoute({ app }: HalyardServer): void {
  app.get(memoryPath, async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let round = 0; round < 5; round += 1) {
      await turn();
      collect();
    }
    const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    return { data: { heapBytes: process.memoryUsage().heapUsed, timers } satisfies HeapReport };
  });
}
