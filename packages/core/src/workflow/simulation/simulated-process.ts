import type { ExecutionStore, TelemetrySink } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { AgentServices } from '../../services/agent-services.ts';
import { createApprovals } from '../../services/approvals.ts';
import { createRecorder } from '../../telemetry/create-recorder.ts';
import type { FixedClock } from '../../testing/fixed-clock.ts';
import { sequentialIds } from '../../testing/sequential-ids.ts';
import { silentLogger } from '../../testing/silent-logger.ts';
import { Executor } from '../runtime/claims/executor.ts';
import { InProcessQueue } from '../runtime/claims/in-process-queue.ts';
import { ExecutionBus } from '../runtime/follow/execution-bus.ts';
import { CollectedSpans } from '../testing/collected-spans.ts';
import { type Faults, FaultyStore } from './faulty-store.ts';
import type { Observed } from './observer.ts';
import type { TreeStep } from './random-tree.ts';
import type { Random } from './random.ts';
import type { Schedule } from './schedule.ts';
import { treeWorkflow } from './tree-workflow.ts';
import type { Turns } from './turns.ts';
import type { Violation } from './violation.ts';

/** Duration of a lease. */
export const leaseMs = 9_000;
const beatMs = leaseMs / 3;

export interface SimulatedProcessOptions {
  readonly name: string;
  readonly store: ExecutionStore;
  readonly schedule: Schedule;
  readonly random: Random;
  readonly clock: FixedClock;
  readonly turns: Turns;
  readonly faults: Faults;
  readonly trees: ReadonlyMap<string, readonly TreeStep[]>;
  readonly observed: (executionId: string) => Observed;
  readonly onBody: (executionId: string, path: string, resumeData: unknown) => void;
  readonly onViolation: (violation: Violation) => void;
}

/** An executor with its own view of the store. The schedule decides when its calls and bodies continue. */
export class SimulatedProcess {
  readonly name: string;
  readonly store: FaultyStore;
  readonly executor: Executor;
  readonly spans: CollectedSpans = new CollectedSpans();
  readonly faults: Faults;
  endedAt: number | undefined;
  isStopping = false;
  nextBeatAt: number;
  readonly #schedule: Schedule;

  constructor(options: SimulatedProcessOptions) {
    const { clock, faults, name, observed, onBody, onViolation, random, schedule, store, trees, turns } = options;
    this.name = name;
    this.faults = faults;
    this.#schedule = schedule;
    this.nextBeatAt = clock.now() + random.below(beatMs);
    const onEnd = (): void => {
      this.endedAt = clock.now();
      schedule.note(`${name} ends`);
      schedule.drop(name);
    };
    this.store = new FaultyStore({
      store,
      process: name,
      schedule,
      random,
      clock,
      faults,
      observed,
      turns,
      onEnd,
      onViolation,
    });
    const stage = {
      begins: (executionId: string, path: string, resumeData: unknown) => {
        if (this.hasEnded) return new Promise<void>(() => {});
        schedule.note(`${name} begins ${executionId} ${path}`);
        onBody(executionId, path, resumeData);
        return undefined;
      },
      works: (path: string) => schedule.hold(name, `works on ${path}`),
    };
    const workflows = [...trees].map(([id, steps]) => [id, treeWorkflow(id, steps, stage)] as const);
    this.executor = new Executor({
      store: this.store,
      queue: new InProcessQueue(),
      bus: new ExecutionBus(),
      services: simulatedServices(clock, name, this.spans),
      workflows: new Map(workflows),
      leaseMs,
      runner: name,
      commitRetryMs: 1_000,
      delay: (ms, signal) => schedule.holdUntil(name, `waits ${ms} ms`, signal),
      random: () => 0.5,
    });
    this.executor.start();
  }

  get hasEnded(): boolean {
    return this.endedAt !== undefined;
  }

  /** Shuts down in order: releases what it runs and accepts no more work. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.#schedule.note(`${this.name} is stopped`);
    await this.executor.drain(5_000);
    await this.#schedule.settled();
    if (!this.hasEnded) this.store.end();
  }

  /** Renews and sweeps, as every third of a lease. */
  beat(): void {
    this.nextBeatAt += beatMs;
    this.#schedule.note(`${this.name} beats`);
    void this.executor.renew();
    void this.executor.sweep();
  }
}

function simulatedServices(clock: FixedClock, name: string, sink: TelemetrySink): AgentServices {
  const ids = sequentialIds(name);
  const { approvals: store } = createInMemoryStorage({ clock });
  return {
    clock,
    ids,
    logger: silentLogger,
    recorder: createRecorder({ sink, clock }),
    approvals: createApprovals({ secrets: ['a secret of the simulation, long enough'], store, clock, ids }),
    downloadFile: () => Promise.reject(new RangeError('nothing is downloaded here')),
  };
}
