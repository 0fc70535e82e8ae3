import { randomBytes } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type Execution,
  type JournalEntry,
  type NewExecutionEvent,
  NotFoundError,
  silentLogger,
  type Storage,
} from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { AgentServices } from '../../agent/agent-services.ts';
import { createApprovals } from '../../agent/approvals/approvals.ts';
import { fixedClock, type FixedClock } from '../../testing/fixed-clock.ts';
import { sequentialIds } from '../../testing/sequential-ids.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import type { RunResult } from '../engine/run-result.ts';
import type { ExecutionKey, ReplayOptions, StartOptions } from '../engine/runtime-options.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';

/**
 * So long that the lease of a process does not end while a test runs on a busy machine: a process
 * measures it in real time.
 */
export const leaseMs = 60_000;
const renewMs = leaseMs / 3;

/**
 * Workflows on a store in memory, with a clock that stands still until a test moves it.
 *
 * Time does not pass on its own: sleeping executions wake, and leases run out, when the test calls
 * {@link WorkflowKit.advance} or {@link WorkflowKit.restart}.
 */
export class WorkflowKit {
  readonly clock: FixedClock = fixedClock();
  readonly storage: Storage = createInMemoryStorage({ clock: this.clock });
  services: AgentServices;
  #workflows: readonly WorkflowDefinition[];
  #runtime: WorkflowRuntime;

  /** @param workflows the first one is the default. */
  constructor(...workflows: readonly WorkflowDefinition[]) {
    const [clock, ids] = [this.clock, sequentialIds('run')];
    const secrets = [randomBytes(32).toString('base64url')];
    this.services = {
      clock,
      ids,
      logger: silentLogger,
      approvals: createApprovals({ secrets, store: this.storage.approvals, clock, ids }),
      downloadFile: () => Promise.reject(new TypeError('a test downloads nothing')),
    };
    this.#workflows = workflows;
    this.#runtime = this.#newRuntime();
  }

  get runtime(): WorkflowRuntime {
    return this.#runtime;
  }

  /** Replaces services of the runtime. Call it before anything is started. */
  use(services: Partial<AgentServices>): this {
    this.services = { ...this.services, ...services };
    this.#runtime = this.#newRuntime();
    return this;
  }

  /** Starts an execution and waits until it is idle. */
  async run(input: unknown = null, options: StartOptions = {}): Promise<RunResult> {
    return this.waitUntilIdle(await this.begin(input, options));
  }

  /** Starts an execution and lets it run as far as it can. @returns its id. */
  async begin(input: unknown = null, options: StartOptions = {}): Promise<string> {
    const id = await this.#runtime.begin(this.#workflows[0]?.id ?? '', input, options);
    await this.settle();
    return id;
  }

  /** Waits until an execution is idle. */
  async waitUntilIdle(id: string): Promise<RunResult> {
    return this.#runtime.wait({ owner: 'anyone', executionId: id });
  }

  /**
   * Answers a suspension and lets the execution run as far as it can. @param at a step, or the id
   * of a suspension; default: the earliest suspension.
   */
  async answer(id: string, resumeData?: unknown, at?: string): Promise<void> {
    const { suspensions } = await this.row(id);
    const shown = suspensions.find(({ kind }) => kind !== 'event') ?? suspensions[0];
    const suspension = at === undefined ? shown : suspensions.find((each) => each.id === at || each.stepId === at);
    const place = suspension === undefined ? { stepId: at } : { suspensionId: suspension.id };
    await this.#runtime.resume(await this.key(id), { resumeData, ...place });
    await this.settle();
  }

  /** Answers a suspension and waits until the execution is idle again. */
  async resume(id: string, resumeData?: unknown, at?: string): Promise<RunResult> {
    await this.answer(id, resumeData, at);
    return this.waitUntilIdle(id);
  }

  /** Retries a failed execution and waits until it is idle again. */
  async retry(id: string): Promise<RunResult> {
    await this.#runtime.retry(await this.key(id));
    await this.settle();
    return this.waitUntilIdle(id);
  }

  async suspend(id: string, reason = 'from outside'): Promise<Execution> {
    return this.#runtime.suspend(await this.key(id), reason);
  }

  async cancel(id: string, reason = 'from outside'): Promise<Execution> {
    return this.#runtime.cancel(await this.key(id), reason);
  }

  async replay(id: string, options: ReplayOptions): Promise<RunResult> {
    return this.waitUntilIdle(await this.#runtime.replay(await this.key(id), options));
  }

  /** Lets time pass, and sweeps: due executions continue. */
  async advance(ms: number): Promise<void> {
    let leftMs = ms;
    // The process renews its lease, as with timers.
    for (; this.#runtime.load.running > 0 && leftMs > renewMs; leftMs -= renewMs) {
      this.clock.advance(renewMs);
      await this.#runtime.endDeleted();
    }
    this.clock.advance(leftMs);
    await this.#runtime.endDeleted();
    await this.#runtime.sweep();
    await this.settle();
  }

  /**
   * The process dies, and another one takes over after the lease has run out.
   *
   * @param workflows as the new process has them; default: the same.
   */
  async restart(...workflows: readonly WorkflowDefinition[]): Promise<void> {
    if (workflows.length > 0) this.#workflows = workflows;
    this.#runtime = this.#newRuntime();
    await this.advance(leaseMs);
  }

  /** Lets everything run that can run without time passing. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 8; turns += 1) await yieldToEventLoop();
  }

  /** Milliseconds until an execution with a definition is due. Undefined: none sleeps. */
  async nextDueInMs(definition: string): Promise<number | undefined> {
    const options = { definitions: { [definition]: definition }, limit: 1 };
    return (await this.storage.executions.claimNext({ runner: 'asks', leaseMs }, options)).nextDueInMs;
  }

  async row(id: string): Promise<Execution> {
    const execution = await this.storage.executions.find('anyone', id);
    if (execution === undefined) throw new NotFoundError('execution', id);
    return execution;
  }

  async children(id: string): Promise<readonly Execution[]> {
    const filter = { parentExecutionId: id, limit: 100, offset: 0 };
    const { executions } = await this.storage.executions.list('anyone', filter);
    return executions.toReversed();
  }

  async journal(id: string): Promise<readonly JournalEntry[]> {
    return this.storage.executions.journal('anyone', id);
  }

  async events(id: string): Promise<readonly NewExecutionEvent[]> {
    const events = await this.storage.executions.events('anyone', id, { after: 0, limit: 10_000 });
    return events.map(({ event }) => event);
  }

  /** The events as `step-start price`: type and source. */
  async history(id: string): Promise<readonly string[]> {
    return (await this.events(id)).map(({ from, type }) => `${type} ${from}`);
  }

  async key(executionId: string): Promise<ExecutionKey> {
    return { owner: 'anyone', workflowId: (await this.row(executionId)).workflowId, executionId };
  }

  #newRuntime(): WorkflowRuntime {
    const { services, storage } = this;
    const runtime = new WorkflowRuntime({ workflows: this.#workflows, storage, services, leaseMs });
    runtime.startByHand();
    return runtime;
  }
}
