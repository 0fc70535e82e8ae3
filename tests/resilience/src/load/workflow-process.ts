/** Runs workflows in a separate process and reports its memory. Run with `--expose-gc`. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createWorkflow } from '@halyard/core';

export interface WorkflowReport {
  readonly heapUsed: number;
  readonly timers: number;
}

const trivial = createWorkflow({ id: 'trivial' })
  .andThen({ id: 'one', execute: () => ({ n: 1 }) })
  .andThen({ id: 'two', execute: ({ data }) => ({ n: data.n + 1 }) })
  .andThen({ id: 'three', execute: ({ data }) => ({ n: data.n + 1 }) });

const approval = createWorkflow({ id: 'approval' })
  .andThen({ id: 'price', execute: () => ({ total: 5 }) })
  .andThen({
    id: 'approve',
    execute: ({ data, resumeData, suspend }) => (resumeData === undefined ? suspend('needs approval', data) : data),
  });

process.on('message', (order: { readonly run: 'trivial' | 'approval'; readonly count: number }) => {
  void work(order).then((answer) => process.send?.(answer));
});
process.send?.('ready');

async function work({
  count,
  run,
}: {
  readonly run: 'trivial' | 'approval';
  readonly count: number;
}): Promise<WorkflowReport> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await (run === 'trivial' ? trivial : approval).run(null);
    }
  };
  await Promise.all(Array.from({ length: 32 }, client));
  for (let round = 0; round < 5; round += 1) {
    await yieldToEventLoop();
    globalThis.gc?.();
  }
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout' || name === 'Immediate').length;
  return { heapUsed: process.memoryUsage().heapUsed, timers };
}
