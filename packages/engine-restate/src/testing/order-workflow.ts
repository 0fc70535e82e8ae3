import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { andThen, createWorkflow } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';

/**
 * A workflow that logs the steps that begin in a file of the directory, and whose step `slow` waits
 * for another file there.
 */
export function orderWorkflow(directory: string): WorkflowDefinition {
  function began(step: string): void {
    appendFileSync(`${directory}/steps.log`, `${step} ${process.pid}\n`);
  }
  async function untilAllowed(signal: AbortSignal): Promise<void> {
    while (!existsSync(`${directory}/go`)) await delay(20, undefined, { signal });
  }
  return createWorkflow({ id: 'order', name: 'Order', purpose: 'Takes an order' })
    .andThen({
      id: 'first',
      execute: async ({ idempotencyKey }) => {
        began(`first ${idempotencyKey}`);
        return 1;
      },
    })
    .andThen({
      id: 'slow',
      execute: async ({ data, idempotencyKey, signal }) => {
        began(`slow ${idempotencyKey}`);
        await untilAllowed(signal);
        return data + 1;
      },
    })
    .andAll({
      id: 'checks',
      steps: ['a', 'b'].map((id) =>
        andThen({
          id,
          execute: async ({ idempotencyKey }) => {
            began(`${id} ${idempotencyKey}`);
            return id;
          },
        }),
      ),
    })
    .andSleep({ id: 'nap', durationMs: 200 })
    .andThen({ id: 'last', execute: async ({ data }) => data });
}
