import { randomUUID } from 'node:crypto';
import { setTimeout as timer } from 'node:timers/promises';
import {
  type ClaimedExecution,
  type Execution,
  type ExecutionEvent,
  type ExecutionStore,
  HalyardError,
  type Job,
  type WorkQueue,
} from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';
import { pathOfInstance } from '../../definition/step-index.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { ExecutionBus } from '../follow/execution-bus.ts';
import { IdleWaiters } from '../follow/idle-waiters.ts';
import { runResult } from '../run-result.ts';
import type { ExecutionRunOptions, ReleasedRun, StartedSteps } from '../run/execution-run-options.ts';
import { ExecutionRun } from '../run/execution-run.ts';
import { Generations } from '../run/generations.ts';
import { type WorkflowTraces, workflowTraces } from '../spans/workflow-traces.ts';
import { Breather } from '../writer/event-loop-yield.ts';
import { TurnEnd } from '../writer/turn-end.ts';

/** Claims in a row without a commit after which an execution is given up. */
const maxClaimsWithoutCommit = 5;
/** How many executions a sweep asks for at a time. */
const sweepSize = 1_000;

export interface ExecutorOptions {
  readonly store: ExecutionStore;
  readonly queue: WorkQueue;
  readonly bus: ExecutionBus;
  readonly services: AgentServices;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  /** How long a process that died keeps what it ran. */
  readonly leaseMs: number;
  /** Before a commit that the store failed is sent again; doubled each time, up to the length of a lease in all. */
  readonly commitRetryMs?: number;
  readonly random?: () => number;
  /** Waits, in milliseconds, or until the signal aborts; default: a timer. */
  readonly delay?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Names this process to others; default: a random one. */
  readonly runner?: string;
}

/** An execution that this process claims or runs. */
interface Taken {
  executionRun: ExecutionRun | undefined;
  /** Another job for it arrived since its claim: it is claimed again when this run ends. */
  isWantedAgain: boolean;
}

/** Runs executions in this process: claims them, keeps their leases, and takes over what others have left. */
export class Executor {
  readonly waiters: IdleWaiters = new IdleWaiters();
  /** Undefined where nothing is recorded. */
  readonly traces: WorkflowTraces | undefined;
  readonly #options: Required<ExecutorOptions>;
  readonly #activationOptions: ExecutionRunOptions;
  /** What is being claimed or runs here. */
  readonly #taken = new Map<string, Taken>();
  #active = 0;
  readonly #workflowIds: readonly string[];
  readonly #breather = new Breather();
  readonly #turnEnd = new TurnEnd();
  #isDraining = false;
  #onIdle: (() => void) | undefined;
  /** Called when an execution begins to sleep, with when it is due. */
  onSleep: (dueAt: number) => void = () => {};

  constructor(options: ExecutorOptions) {
    this.#options = { commitRetryMs: 50, delay: waitFor, random: Math.random, runner: randomUUID(), ...options };
    this.#workflowIds = [...options.workflows.keys()];
    this.traces = workflowTraces(options.services);
    this.#activationOptions = {
      ...this.#options,
      traces: this.traces,
      atTurnEnd: this.#turnEnd.add,
      breathe: () => this.#breather.breathe(),
      retryCommit: (executionId, tries, error) => this.#retryCommit(executionId, tries, error),
      onSleep: (dueAt) => this.onSleep(dueAt),
    };
  }

  get activeCount(): number {
    return this.#active;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  isRunning(executionId: string): boolean {
    return this.#taken.get(executionId)?.executionRun !== undefined;
  }

  /** Whether it runs here, or is about to. */
  hasTaken(executionId: string): boolean {
    return this.#taken.has(executionId);
  }

  start(): void {
    this.#options.queue.start((job) => this.run(job), this.#workflowIds);
  }

  /** Hints an execution to the queue. */
  enqueue(executionId: string, workflowId: string, given?: number): void {
    const priority = given ?? this.#options.workflows.get(workflowId)?.priority ?? 0;
    this.#options.queue.enqueue(priority === 0 ? { executionId, workflowId } : { executionId, workflowId, priority });
  }

  /** Claims an execution and runs it until it rests, if it wants a runner. Never rejects. */
  async run(job: Job): Promise<void> {
    const { executionId, workflowId } = job;
    const workflow = this.#options.workflows.get(workflowId);
    if (workflow === undefined || this.#isDraining) return;
    const taken = this.#taken.get(executionId);
    if (taken !== undefined) {
      taken.isWantedAgain = true;
      return;
    }
    const own: Taken = { executionRun: undefined, isWantedAgain: false };
    this.#taken.set(executionId, own);
    do {
      own.isWantedAgain = false;
      await this.#claim(workflow, executionId, own);
      // Here and not in the queue: one that doubles hints would have them doubled without end.
    } while (own.isWantedAgain && !this.#isDraining);
    this.#taken.delete(executionId);
    if (this.#taken.size === 0) this.#onIdle?.();
  }

  /** Somebody left an answer or a request on the row: its runner here looks, or it is run here. */
  async signal(job: Job): Promise<void> {
    if (!(await this.#look(job))) this.enqueue(job.executionId, job.workflowId);
  }

  /** Like {@link signal}, without waiting for a place in the queue. */
  async signalNow(job: Job): Promise<void> {
    if (!(await this.#look(job))) void this.run(job);
  }

  /** Prolongs the leases of what runs here. */
  async renew(): Promise<void> {
    const { leaseMs, runner, services, store } = this.#options;
    const held = this.#running().map(({ epoch, root }) => ({ executionId: root.id, epoch }));
    if (held.length === 0) return;
    try {
      for (const lost of await store.renew(held, { runner, leaseMs })) {
        const executionRun = this.#taken.get(lost)?.executionRun;
        // It may have come to rest meanwhile, and been claimed again.
        if (held.some(({ epoch, executionId }) => executionId === lost && epoch === executionRun?.epoch))
          executionRun?.fence();
      }
    } catch (error) {
      services.logger.warn({ err: error }, 'leases could not be renewed');
    }
  }

  /** Finds what wants a runner: what another process left, what has slept long enough, hints that were lost. */
  async sweep(): Promise<void> {
    const { services, store } = this.#options;
    this.traces?.sweep();
    if (this.#isDraining) return;
    for (const executionRun of this.#running()) executionRun.catchUp();
    try {
      for (const { executionId, workflowId } of await store.due(this.#workflowIds, sweepSize))
        this.enqueue(executionId, workflowId);
    } catch (error) {
      services.logger.warn({ err: error }, 'the storage could not be asked for executions that are due');
    }
  }

  /** Steps that run may finish; then everything is let go. What still runs after the grace is left to others. */
  async drain(graceMs: number): Promise<void> {
    this.#isDraining = true;
    await this.#options.queue.close();
    for (const executionRun of this.#running()) executionRun.drain();
    await this.#idleWithin(graceMs);
    for (const executionRun of this.#running()) executionRun.lose('the process is shutting down');
    this.traces?.close();
  }

  async #claim(workflow: WorkflowDefinition, executionId: string, taken: Taken): Promise<void> {
    const { leaseMs, runner, services, store } = this.#options;
    try {
      const claimed = await store.claim(executionId, { runner, leaseMs });
      if (claimed !== undefined) return await this.#activate(workflow, claimed, taken);
      this.traces?.release(executionId);
      this.waiters.tell(executionId, 'elsewhere');
    } catch (error) {
      services.logger.error({ err: error, executionId }, 'an execution could not be claimed');
      this.waiters.tell(executionId, 'elsewhere');
    }
  }

  #running(): readonly ExecutionRun[] {
    return [...this.#taken.values()].flatMap(({ executionRun }) => executionRun ?? []);
  }

  /** @returns whether it runs here and has seen what was left. */
  async #look({ executionId }: Job): Promise<boolean> {
    return (await this.#taken.get(executionId)?.executionRun?.look()) ?? false;
  }

  async #activate(workflow: WorkflowDefinition, claimed: ClaimedExecution, taken: Taken): Promise<void> {
    const { execution } = claimed;
    const started = execution.epoch === 1 ? undefined : await this.#startedSteps(claimed, workflow);
    const executionRun = new ExecutionRun(workflow, claimed, this.#activationOptions, started);
    const unwatch = this.#options.store.watch(execution.id, (change) => {
      if (change === 'signal') void executionRun.look();
    });
    taken.executionRun = executionRun;
    this.#active += 1;
    if (claimed.claimsWithoutCommit > maxClaimsWithoutCommit) executionRun.fail(gaveUp());
    if (this.#isDraining) executionRun.drain();
    const outcome = await executionRun.run();
    unwatch();
    taken.executionRun = undefined;
    this.#active -= 1;
    if (outcome.kind === 'released') this.#released(outcome);
    else this.#lost(execution.id, outcome.cause);
  }

  #released({ dueAt, endedAt, ending, root, status, suspensions }: ReleasedRun): void {
    if (dueAt !== null) this.onSleep(dueAt);
    const { createdAt, id, path, workflow } = root;
    const output = ending?.status === 'completed' ? ending.output : undefined;
    const error = ending?.status === 'error' ? ending.error : undefined;
    const source = { id, path, status, createdAt, endedAt, output, error, suspensions };
    // One that sleeps may wake in another process.
    this.waiters.tell(id, status === 'running' ? 'elsewhere' : runResult(source, workflow));
  }

  #lost(executionId: string, cause: unknown): void {
    const { logger } = this.#options.services;
    logger.warn(
      { executionId, ...(cause !== undefined && { err: cause }) },
      'an execution goes on elsewhere, or later',
    );
    this.waiters.tell(executionId, 'elsewhere');
  }

  async #retryCommit(executionId: string, tries: number, error: unknown): Promise<boolean> {
    const { commitRetryMs, delay, leaseMs, services } = this.#options;
    const waitMs = commitRetryMs * 2 ** (tries - 1);
    if (waitMs * 2 > leaseMs || tries > 20) return false;
    services.logger.warn({ err: error, executionId, tries }, 'the storage failed a commit; it is sent again');
    await delay(waitMs);
    return true;
  }

  /** Which steps were announced already, of an execution that is continued: those that a rewind took back not among them. */
  async #startedSteps({ children, execution }: ClaimedExecution, { index }: WorkflowDefinition): Promise<StartedSteps> {
    const started = new Map<string, Set<string>>();
    const generations = new Generations(execution.rewinds);
    for (const { event, seq } of await this.#stepStarts(execution)) {
      const path = pathOfInstance(index, event.from);
      if (path !== undefined && generations.isOver(path, seq)) continue;
      addTo(started, execution.id, event.from);
    }
    for (const child of children) {
      if (generations.reachInto(child.path)) continue;
      for (const { event } of await this.#stepStarts(child)) addTo(started, child.id, event.from);
    }
    return started;
  }

  async #stepStarts({ id, seq }: Execution): Promise<readonly ExecutionEvent[]> {
    if (seq === 0) return [];
    const events = await this.#options.store.events('anyone', id, { after: 0, limit: seq });
    return events.filter(({ event }) => event.type === 'step-start');
  }

  async #idleWithin(graceMs: number): Promise<void> {
    if (this.#taken.size === 0) return;
    const idle = new AbortController();
    this.#onIdle = () => idle.abort();
    await this.#options.delay(graceMs, idle.signal);
    this.#onIdle = undefined;
  }
}

async function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  await timer(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

function addTo(started: Map<string, Set<string>>, executionId: string, step: string): void {
  const steps = started.get(executionId) ?? new Set();
  started.set(executionId, steps.add(step));
}

function gaveUp(): HalyardError {
  return new HalyardError(
    'failed',
    'EXECUTION_GIVEN_UP',
    'the execution was given up: who ran it ended, or could record nothing of it, again and again',
  );
}
