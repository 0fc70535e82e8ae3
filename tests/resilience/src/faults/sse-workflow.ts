import { setTimeout as delay } from 'node:timers/promises';
import { andThen, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';

const Ticks = Type.Object({ ticks: Type.Number(), ms: Type.Number() });

/** Runs `ticks` steps of `ms` each, so that clients can follow it. */
export const tickerWorkflow = createWorkflow({ id: 'ticker', input: Ticks })
  .andThen({ id: 'items', execute: ({ data: { ms, ticks } }) => Array.from({ length: ticks }, () => ms) })
  .andForEach({
    id: 'ticks',
    step: andThen({
      id: 'tick',
      execute: async ({ data, signal }) => {
        await delay(data, undefined, { signal });
        return data;
      },
    }),
  });
