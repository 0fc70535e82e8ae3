import {
  type Execution,
  type ExecutionStore,
  type JsonValue,
  type NewPublishedEvent,
  silentLogger,
  type TelemetrySink,
} from '@halyard/contracts';
import { type AgentServices, createApprovals, createRecorder, type WorkflowDefinition } from '@halyard/core/server';
import { type FixedClock, sequentialIds } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { BulkOperations } from '../../../../packages/core/src/workflow/bulk/bulk-operations.ts';
import { bulkWorkflowId } from '../../../../packages/core/src/workflow/bulk/bulk-workflow-id.ts';
import { beginExecution } from '../../../../packages/core/src/workflow/engine/begin-execution.ts';
import { generatedCreation, newCreation } from '../../../../packages/core/src/workflow/engine/creation.ts';
import type { ExecutorOptions } from '../../../../packages/core/src/workflow/engine/driver/executor-options.ts';
import { Executor } from '../../../../packages/core/src/workflow/engine/driver/executor.ts';
import type { BeginOptions } from '../../../../packages/core/src/workflow/engine/runtime-options.ts';
import { ExecutionBus } from '../../../../packages/core/src/workflow/follow/execution-bus.ts';
import { CollectedSpans } from '../../../../packages/core/src/workflow/testing/collected-spans.ts';
import type { Random } from '../../../../packages/core/src/workflow/testing/random.ts';
import { bulkOptions, replayInSimulation } from './bulk-options.ts';
import { type Faults, FaultyStore, type FaultyStoreOptions } from './faulty-store.ts';
import type { Mutex } from './mutex.ts';
import type { Observed } from './observed.ts';
import type { Schedule } from './schedule.ts';
import type { BodyObserver } from './tree-workflow.ts';
import { must, type Violation } from './violation.ts';

/** The leases of a crashed process expire after this time. */
export const leaseMs = 9_000;
const sweepIntervalMs = leaseMs / 3;

export interface SimulatedProcessOptions {
  readonly name: string;
  readonly store: ExecutionStore;
  readonly schedule: Schedule;
  readonly random: Random;
  readonly clock: FixedClock;
  readonly mutex: Mutex;
  readonly faults: Faults;
  /** The workflows of this process, by id. */
  readonly workflows: (observer: BodyObserver) => ReadonlyMap<string, WorkflowDefinition>;
  readonly observed: (executionId: string) => Observed;
  readonly onBody: (executionId: string, path: string, resumeData: unknown) => void;
  readonly onPublished?: FaultyStoreOptions['onPublished'];
  readonly onChanged?: FaultyStoreOptions['onChanged'];
  readonly onViolation: (violation: Violation) => void;
  readonly places?: FaultyStoreOptions['places'];
  /** A signal that aborts when this time has passed. Default: never. */
  readonly timeout?: (ms: number) => AbortSignal;
  readonly checkpointAfter?: ExecutorOptions['checkpointAfter'];
}

/** How an execution is started. */
export interface BeginInSimulation {
  readonly input?: JsonValue;
  readonly options?: BeginOptions;
}

/**
 * An executor with its own faulty store. The schedule decides when its delays and its bodies end.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly store: FaultyStore;
  readonly executor: Executor;
  readonly bulk: BulkOperations;
  readonly spans: CollectedSpans = new CollectedSpans();
  readonly faults: Faults;
  endedAt: number | undefined;
  isStopping = false;
  nextSweepAt: number;
  readonly #schedule: Schedule;
  readonly #services: AgentServices;
  readonly #workflows: ReadonlyMap<string, WorkflowDefinition>;
  #begun = 0;

  constructor(options: SimulatedProcessOptions) {
    const { clock, faults, mutex, name, observed, onBody, onViolation, random, schedule, store, workflows } = options;
    this.name = name;
    this.faults = faults;
    this.#schedule = schedule;
    this.nextSweepAt = clock.now() + random.below(sweepIntervalMs);
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
      mutex,
      onChanged: options.onChanged,
      places: options.places,
      onPublished: options.onPublished,
      onEnd,
      onViolation,
    });
    const stage = {
      starts: (executionId: string, path: string, resumeData: unknown) => {
        if (this.hasEnded) return new Promise<void>(() => {});
        schedule.note(`${name} starts ${executionId} ${path}`);
        onBody(executionId, path, resumeData);
        return undefined;
      },
      works: (path: string) => schedule.wait(name, `works on ${path}`),
    };
    this.#services = simulatedServices(clock, name, this.spans);
    this.bulk = new BulkOperations(
      bulkOptions({
        executor: () => this.executor,
        store: this.store,
        services: this.#services,
        workflows: () => this.#workflows,
        begin: (id, input) => this.#start(bulkWorkflowId, id, { input, options: {} }),
        timeout: options.timeout ?? (() => new AbortController().signal),
      }),
    );
    this.#workflows = new Map([...workflows(stage), [bulkWorkflowId, this.bulk.workflow]]);
    this.executor = new Executor({
      store: this.store,
      bus: new ExecutionBus(),
      services: this.#services,
      workflows: this.#workflows,
      leaseMs,
      start: (workflowId, executionId, input, startOptions) =>
        this.#start(workflowId, executionId, { input, options: startOptions }),
      runner: name,
      commitRetryMs: 1_000,
      delay: (ms, signal) => schedule.waitUnlessAborted(name, `waits ${ms} ms`, signal),
      random: () => 0.5,
      checkpointAfter: options.checkpointAfter,
    });
    this.executor.start();
  }

  get hasEnded(): boolean {
    return this.endedAt !== undefined;
  }

  /** Starts an execution. @returns its id. @throws what the runtime throws. */
  async begin(workflowId: string, { input = 0, options = {} }: BeginInSimulation = {}): Promise<string> {
    this.#begun += 1;
    const executionId = `${this.name}-${workflowId}-${this.#begun}`;
    await this.#start(workflowId, executionId, { input, options });
    return executionId;
  }

  /** Publishes an event. @throws what the store throws. */
  async publish(event: NewPublishedEvent): Promise<void> {
    const { deliveries } = await this.store.publish('anyone', event);
    for (const job of deliveries) await this.executor.signal(job);
  }

  /** Stops gracefully: releases its executions and claims no more. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.#schedule.note(`${this.name} is stopped`);
    await this.executor.close(5_000);
    await this.#schedule.settled();
    if (!this.hasEnded) this.store.end();
  }

  /**
   * Replays an execution from a step. @returns the id of the new execution. @throws what the
   * runtime throws.
   */
  async replay(execution: Execution, stepId: string): Promise<string> {
    const parts = { executor: this.executor, store: this.store, services: this.#services, workflows: this.#workflows };
    return replayInSimulation(parts, 'anyone', { execution, ids: this.#services.ids }, { stepId });
  }

  async #start(
    workflowId: string,
    executionId: string,
    { input, options }: { readonly input: unknown; readonly options: BeginOptions },
  ): Promise<void> {
    const workflow = this.#workflows.get(workflowId);
    must(workflow !== undefined, () => `${workflowId} does not exist`);
    const workflows = [...this.#workflows.values()];
    const { definitions, traces } = this.executor;
    const parts = {
      driver: this.executor,
      definitions,
      traces,
      services: this.#services,
      store: this.store,
      workflows,
    };
    const creation =
      options.executionId === undefined ? generatedCreation(executionId) : newCreation(executionId, this.#services.ids);
    await beginExecution(parts, workflow, { creation, input, options, at: 'input' });
  }

  /** Renews its leases and sweeps. Called every third of a lease. */
  renewAndSweep(): void {
    this.nextSweepAt += sweepIntervalMs;
    this.#schedule.note(`${this.name} renews and sweeps`);
    void this.executor.renew().then(() => this.executor.sweep());
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
    downloadFile: () => Promise.reject(new RangeError('the simulation downloads no files')),
  };
}
