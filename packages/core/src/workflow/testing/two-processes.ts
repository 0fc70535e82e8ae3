import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ConcurrencyLimit, Execution, Job, Logger } from '@halyard/contracts';
import { createInMemoryStorage, InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { createApprovals } from '../../agent/approvals/approvals.ts';
import { fixedClock, sequentialIds } from '../../testing/index.ts';
import { createWorkflow } from '../create-workflow.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import type { ExecutorOptions } from '../engine/driver/executor-options.ts';
import { Executor } from '../engine/driver/executor.ts';
import { ExecutionBus } from '../follow/execution-bus.ts';
import { Gate } from './gate.ts';

export const job: Job = { executionId: 'run', workflowId: 'order' };
export const leaseMs = 9_000;

interface Line {
  readonly level: string;
  readonly message: string;
}

interface TwoProcessesOptions {
  readonly workflow?: WorkflowDefinition | undefined;
  readonly metadata?: Execution['metadata'] | undefined;
  readonly definition?: string | undefined;
  readonly concurrency?: ConcurrencyLimit | undefined;
  /** How many executions each process runs at a time. Default: 256. */
  readonly slots?: number | undefined;
  /** Default: true. */
  readonly isStarted?: boolean | undefined;
  readonly delay?: ExecutorOptions['delay'] | undefined;
}

/** Two processes with one storage, and one execution whose first step waits in `body`. */
export interface TwoProcesses {
  readonly clock: ReturnType<typeof fixedClock>;
  readonly store: InMemoryExecutionStore;
  readonly body: Gate;
  /** The log lines of the processes. */
  readonly lines: readonly Line[];
  readonly causes: readonly unknown[];
  readonly here: Executor;
  readonly there: Executor;
}

export async function openTwoProcesses({
  concurrency,
  definition,
  delay,
  isStarted = true,
  metadata = {},
  slots,
  ...given
}: TwoProcessesOptions = {}): Promise<TwoProcesses> {
  const clock = fixedClock();
  const store = new InMemoryExecutionStore(clock);
  const body = new Gate();
  const {
    workflow = createWorkflow({ id: 'order' }).andThen({ id: 'pay', execute: (context) => body.pass(context) }),
  } = given;
  const lines: Line[] = [];
  const causes: unknown[] = [];
  const log = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message });
    if ('err' in fields) causes.push(fields.err);
  };
  const logger: Logger = { debug: () => {}, info: () => {}, warn: log('warn'), error: log('error') };
  const fields = { id: 'run', workflowId: 'order', workflowName: 'order', input: null, context: {}, metadata };
  await store.create(
    { ...fields, workflowState: {}, events: [] },
    {
      requestId: 'run',
      ...(definition !== undefined && { definition }),
      ...(concurrency !== undefined && { concurrency }),
    },
  );
  const start = (runner: string): Executor => {
    const ids = sequentialIds();
    const { approvals } = createInMemoryStorage({ clock });
    const executor = new Executor({
      store,
      ...(slots !== undefined && { concurrency: slots }),
      bus: new ExecutionBus(),
      services: {
        clock,
        ids,
        logger,
        approvals: createApprovals({
          secrets: ['a secret that is long enough for tests'],
          store: approvals,
          clock,
          ids,
        }),
        downloadFile: () => Promise.reject(new TypeError('nothing is downloaded here')),
      },
      workflows: new Map([[workflow.id, workflow]]),
      leaseMs,
      runner,
      ...(delay !== undefined && { delay }),
      start: () => Promise.reject(new TypeError('nothing is started here')),
    });
    if (isStarted) executor.start();
    return executor;
  };
  return { clock, store, body, causes, lines, here: start('here'), there: start('there') };
}

/** Lets running code continue until it waits for something else. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 8; turns += 1) await yieldToEventLoop();
}
