import { setTimeout as delay } from 'node:timers/promises';
import { andThen, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';

const Nothing = Type.Object({});

/** Suspends. */
const waits = createWorkflow({ id: 'waits', input: Nothing })
  .andThen({ id: 'before', execute: ({ data }) => data })
  .andThen({ id: 'wait', execute: ({ resumeData, suspend }) => resumeData ?? suspend('waits') });

/** Sleeps for longer than the check takes. */
const sleeps = createWorkflow({ id: 'sleeps', input: Nothing })
  .andThen({ id: 'before', execute: ({ data }) => data })
  .andSleep({ id: 'nap', durationMs: 3_600_000 })
  .andThen({ id: 'after', execute: ({ data }) => data });

/** Runs a step until a time (milliseconds since the epoch), then has three more steps. */
const holds = createWorkflow({ id: 'holds', input: Type.Object({ until: Type.Number() }) })
  .andThen({
    id: 'hold',
    execute: async ({ data, signal }) => {
      await delay(Math.max(0, data.until - Date.now()), undefined, { signal });
      return data;
    },
  })
  .andAll({ id: 'both', steps: ['left', 'right'].map((id) => andThen({ id, execute: () => id })) })
  .andThen({ id: 'last', execute: ({ data }) => data });

export const idleWorkflows = [waits, sleeps, holds] as const;
