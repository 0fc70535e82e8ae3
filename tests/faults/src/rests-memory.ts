import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HalyardServer } from '@halyard/server-fastify';

export const memoryPath = '/debug/memory';

/** What is in the heap of a process after what nobody needs was collected. */
export interface HeapReport {
  readonly heapBytes: number;
  readonly timers: number;
}

/** Lets a replica tell {@link HeapReport} of itself. */
export function tellMemory({ app }: HalyardServer): void {
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
