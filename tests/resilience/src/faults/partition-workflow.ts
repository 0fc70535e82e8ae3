import { setTimeout as delay } from 'node:timers/promises';
import { createWorkflow } from '@halyard/core';
import type { BodyLog } from './harness/body-log.ts';
import { identityOf, logged, Work } from './workflows.ts';

/** Between two side effects of a step. */
const beatMs = 50;

/** A step that has side effects for `ms`, and stops when its signal is aborted. */
export function beatsWorkflow(log: BodyLog) {
  return createWorkflow({ id: 'beats', input: Work, result: Work })
    .andThen({
      id: 'beat',
      execute: async (context) => {
        const { data, signal } = context;
        const body = identityOf(context);
        signal.addEventListener('abort', () => log.write({ kind: 'aborted', ...body }), { once: true });
        await logged(log, context, async () => {
          for (let left = data.ms; left > 0; left -= beatMs) {
            log.write({ kind: 'effect', ...body });
            await delay(beatMs, undefined, { signal });
          }
        });
        return { ...data, n: data.n + 1 };
      },
    })
    .andThen({ id: 'after', execute: ({ data }) => ({ ...data, n: data.n + 1 }) });
}
