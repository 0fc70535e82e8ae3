import { setTimeout as delay } from 'node:timers/promises';
import { andAll, andSleep, andThen, andWorkflow, createWorkflow, type StepContext } from '@halyard/core';
import { type Static, Type } from '@sinclair/typebox';
import type { BodyLine, BodyLog } from './harness/body-log.ts';

/** The input and the data of every workflow. `ms` is the duration of a step body. */
export const Work = Type.Object({ n: Type.Number(), ms: Type.Number() });
export type Work = Static<typeof Work>;

/** A workflow of the app and its expected result, whatever fails while it runs. */
export interface Shape {
  readonly id: string;
  readonly result: (input: Work) => unknown;
}

/** The data that resumes every suspension. */
export const resumeData = { by: 100 };

/** Workflows with all kinds of steps. Their results depend only on their input. */
export const shapes: readonly Shape[] = [
  { id: 'chain', result: ({ n }) => n + 4 },
  { id: 'all', result: ({ n }) => [n + 1, n + 2, n + 3] },
  { id: 'race', result: ({ n }) => n + 1 },
  { id: 'nested', result: ({ n }) => [0, 1, 2].map((item) => [n + item + 1, n + item + 2]) },
  { id: 'approval', result: ({ n }) => n + 102 },
  { id: 'sleeper', result: ({ n }) => n + 2 },
  { id: 'parent', result: ({ n }) => n + 103 },
  { id: 'loop', result: ({ n }) => n + 5 },
  { id: 'mixed', result: ({ n }) => [n + 101, n + 2, n] },
];

/** Longer than a step body takes, with an upper bound. */
function sleepOf({ ms }: Work): number {
  return Math.min(ms * 10, 2_500);
}

/** The workflows of the app. Their step bodies log that they ran. */
export function workflowsOf(log: BodyLog) {
  const step = (id: string, { add = 1, times = 1 } = {}) => ({
    id,
    execute: async (context: StepContext<Work>) => {
      const { n, ms } = context.data;
      await logged(log, context, () => delay(ms * times, undefined, { signal: context.signal }));
      return { n: n + add, ms };
    },
  });
  const ask = (id: string) => ({
    id,
    execute: async (context: StepContext<Work>) => {
      const { n, ms } = context.data;
      await logged(log, context, () => delay(ms, undefined, { signal: context.signal }));
      const answer = context.resumeData as typeof resumeData | undefined;
      return answer === undefined ? context.suspend('needs an answer') : { n: n + answer.by, ms };
    },
  });
  const start = (id: string) => createWorkflow({ id, input: Work });
  const toNumber = { id: 'number', execute: ({ data }: StepContext<Work>) => data.n };
  const toNumbers = { id: 'numbers', execute: ({ data }: StepContext<Work[]>) => data.map(({ n }) => n) };
  const child = start('child')
    .andThen(step('first'))
    .andAll({ id: 'both', steps: [andThen(ask('ask')), andThen(step('other'))] })
    .andThen({ id: 'asked', execute: ({ data: [asked] }) => asked });

  return [
    start('chain')
      .andThen(step('one'))
      .andThen(step('two'))
      .andThen(step('three'))
      .andThen(step('four'))
      .andThen(toNumber),
    start('all')
      .andAll({
        id: 'all',
        steps: [andThen(step('a')), andThen(step('b', { add: 2 })), andThen(step('c', { add: 3 }))],
      })
      .andThen(toNumbers),
    start('race')
      .andRace({ id: 'race', steps: [andThen(step('quick')), andThen(step('slow', { times: 3 }))] })
      .andThen(toNumber),
    start('nested')
      .andThen({ id: 'items', execute: ({ data }) => [0, 1, 2].map((item) => ({ ...data, n: data.n + item })) })
      .andForEach({
        id: 'lines',
        concurrency: 2,
        step: andAll({ id: 'pair', steps: [andThen(step('left')), andThen(step('right', { add: 2 }))] }),
      })
      .andThen({ id: 'numbers', execute: ({ data }) => data.map((pair) => pair.map(({ n }) => n)) }),
    start('approval').andThen(step('price')).andThen(ask('approve')).andThen(step('ship')).andThen(toNumber),
    start('sleeper')
      .andThen(step('before'))
      .andSleep({ id: 'nap', durationMs: ({ data }) => sleepOf(data) })
      .andThen(step('after'))
      .andThen(toNumber),
    start('parent')
      .andThen(step('before'))
      .andWorkflow({ id: 'sub', workflow: child })
      .andThen(step('after'))
      .andThen(toNumber),
    start('loop')
      .andDoUntil({ id: 'rounds', step: andThen(step('round')), condition: ({ data, input }) => data.n >= input.n + 5 })
      .andThen(toNumber),
    start('mixed')
      .andAll({
        id: 'sides',
        steps: [
          andWorkflow({ id: 'asks', workflow: child }),
          andThen(step('works', { add: 2 })),
          andSleep({ id: 'sleeps', durationMs: ({ data }: { readonly data: Work }) => sleepOf(data) }),
        ],
      })
      .andThen(toNumbers),
    ...dangerousWorkflows(log),
  ];
}

/**
 * A step that blocks its process for `ms` the first time it runs, and a step that kills its process
 * every time.
 */
function dangerousWorkflows(log: BodyLog) {
  return [
    createWorkflow({ id: 'hangs', input: Work })
      .andThen({
        id: 'hang',
        execute: async (context) => {
          const { ms, n } = context.data;
          const isFirst = log.isFirst(rootOf(context));
          await logged(log, context, async () => {
            if (isFirst) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
          });
          return { n: n + 1, isFirst };
        },
      })
      .andThen({
        id: 'after',
        // So long that the new runner is still in this step when the blocked process continues.
        execute: async ({ data, input }) => {
          await delay(input.ms);
          return data;
        },
      }),
    createWorkflow({ id: 'deadly', input: Work }).andThen({
      id: 'die',
      execute: (context) =>
        logged(log, context, async () => {
          process.kill(process.pid, 'SIGKILL');
          await delay(60_000);
        }),
    }),
  ];
}

export async function logged(log: BodyLog, context: StepContext<unknown>, work: () => Promise<void>): Promise<void> {
  const body = identityOf(context);
  log.write({ kind: 'start', ...body });
  await work();
  log.write({ kind: 'end', ...body });
}

/** What the log says about a step body in all its lines. */
export function identityOf(context: StepContext<unknown>): Pick<BodyLine, 'attempt' | 'execution' | 'path'> {
  const { idempotencyKey, resumeData: answer, retryCount } = context;
  return {
    execution: rootOf(context),
    path: idempotencyKey.slice(idempotencyKey.indexOf('/') + 1),
    attempt: `${retryCount}${answer === undefined ? '' : ' answered'}`,
  };
}

/**
 * The root execution of a step. In its key, a chosen id is followed by `~` and what tells it from
 * other executions with this id.
 */
function rootOf({ idempotencyKey }: StepContext<unknown>): string {
  return idempotencyKey.slice(0, idempotencyKey.search(/[/~]/));
}
