import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { InvalidInputError, silentLogger, type Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { AgentServices } from '../agent/agent-services.ts';
import { WorkflowRuntime } from '../workflow/engine/workflow-runtime.ts';
import type { AnyWorkflow } from '../workflow/workflow.ts';
import { fixedClock, type FixedClock } from './fixed-clock.ts';

export interface TestRuntimeOptions {
  readonly workflows: readonly AnyWorkflow[];
  /** Replaces services of the runtime, except its clock. */
  readonly services?: Partial<Omit<AgentServices, 'clock'>> | undefined;
}

/** A time such as `90s`, `15m`, `3d`, or milliseconds. */
export type TestTime = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** A runtime in memory whose time passes only when a test says so. */
export interface TestRuntime {
  readonly runtime: WorkflowRuntime;
  readonly clock: FixedClock;
  readonly storage: Storage;
  /**
   * Lets all executions run as far as they can, then moves the time from one execution that is due
   * to the next, until this much time has passed: an execution that sleeps twice wakes twice.
   *
   * Waits for steps that are running, so a step must not wait for the test.
   */
  advance(this: void, time: TestTime): Promise<void>;
  /** Ends the runtime. */
  stop(this: void): Promise<void>;
}

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Creates a runtime for tests of workflows that wait. @throws ConfigurationError for workflows that
 * a server would refuse, too.
 */
export function testRuntime({ services, workflows }: TestRuntimeOptions): TestRuntime {
  const clock = fixedClock();
  const storage = createInMemoryStorage({ clock });
  const runtime = new WorkflowRuntime({ workflows, storage, services: { logger: silentLogger, ...services, clock } });
  runtime.startByHand();
  return {
    runtime,
    clock,
    storage,
    advance: async (time) => {
      let leftMs = toMs(time);
      for (;;) {
        const dueInMs = await runUntilIdle(runtime);
        const stepMs = Math.min(leftMs, dueInMs ?? leftMs);
        clock.advance(stepMs);
        leftMs -= stepMs;
        if (leftMs === 0) break;
      }
      await runUntilIdle(runtime);
    },
    stop: () => runtime.stop(0),
  };
}

/**
 * Runs due executions, until nothing runs and nothing is due. @returns when the next execution is
 * due.
 */
async function runUntilIdle(runtime: WorkflowRuntime): Promise<number | undefined> {
  let previous: number | undefined = 0;
  for (;;) {
    const dueInMs = await runtime.sweep();
    // A resumed or started execution is claimed a few ticks later.
    for (let ticks = 0; ticks < 8; ticks += 1) await yieldToEventLoop();
    // The second look sees the new waits of the executions of the first one.
    if (runtime.load.running === 0 && dueInMs !== 0 && dueInMs === previous) return dueInMs;
    previous = dueInMs;
  }
}

/** @throws InvalidInputError */
function toMs(time: TestTime): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(time)) ?? [];
  const ms = typeof time === 'number' ? time : Number(count) * (isUnit(unit) ? units[unit] : Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new InvalidInputError(`advance takes milliseconds or a time such as 90s, 15m, 2h or 3d, not ${String(time)}`);
}

function isUnit(text: string | undefined): text is keyof typeof units {
  return text !== undefined && Object.hasOwn(units, text);
}
