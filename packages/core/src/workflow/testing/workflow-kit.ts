import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import {
  type Execution,
  type JournalEntry,
  type NewExecutionEvent,
  NotFoundError,
  type Storage,
} from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import type { AgentServices } from '../../services/agent-services.ts';
import { createApprovals } from '../../services/approvals.ts';
import { fixedClock, type FixedClock } from '../../testing/fixed-clock.ts';
import { sequentialIds } from '../../testing/sequential-ids.ts';
import { silentLogger } from '../../testing/silent-logger.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import type { RunResult } from '../runtime/run-result.ts';
import type { ExecutionKey, ReplayOptions, StartOptions } from '../runtime/runtime-options.ts';
import { WorkflowRuntime } from '../runtime/workflow-runtime.ts';

const leaseMs = 10_000;

/**
 * Workflows on a store in memory, with a clock that stands still until a test moves it.
 *
 * Nothing happens by itself: sleepers wake, and what another runtime left is taken over, when the test says {@link WorkflowKit.advance}
 * or {@link WorkflowKit.restart}.
 */
export class WorkflowKit {
  readonly clock: FixedClock = fixedClock();
  readonly storage: Storage = createInMemoryStorage({ clock: this.clock });
  services: AgentServices;
  #workflows: readonly WorkflowDefinition[];
  #runtime: WorkflowRuntime;

  /** @param workflows the first is the one that is meant where none is named. */
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

  /** Before anything is started: gives the runtime these services too. */
  use(services: Partial<AgentServices>): this {
    this.services = { ...this.services, ...services };
    this.#runtime = this.#newRuntime();
    return this;
  }

  /** Starts an execution and waits until it rests. */
  async run(input: unknown = null, options: StartOptions = {}): Promise<RunResult> {
    return this.rest(await this.begin(input, options));
  }

  /** Starts an execution, and lets it do what it can do at once. @returns its id. */
  async begin(input: unknown = null, options: StartOptions = {}): Promise<string> {
    const id = await this.#runtime.begin(this.#workflows[0]?.id ?? '', input, options);
    await this.settle();
    return id;
  }

  /** Waits until an execution rests. */
  async rest(id: string): Promise<RunResult> {
    return this.#runtime.wait({ owner: 'anyone', executionId: id });
  }

  /** Answers a suspension, and lets the execution do what it can do then. */
  async answer(id: string, resumeData?: unknown, stepId?: string): Promise<void> {
    await this.#runtime.resume(await this.key(id), { resumeData, stepId });
    await this.settle();
  }

  /** Answers a suspension and waits for the next rest. */
  async resume(id: string, resumeData?: unknown, stepId?: string): Promise<RunResult> {
    await this.answer(id, resumeData, stepId);
    return this.rest(id);
  }

  async suspend(id: string, reason = 'from outside'): Promise<Execution> {
    return this.#runtime.suspend(await this.key(id), reason);
  }

  async cancel(id: string, reason = 'from outside'): Promise<Execution> {
    return this.#runtime.cancel(await this.key(id), reason);
  }

  async replay(id: string, options: ReplayOptions): Promise<RunResult> {
    return this.rest(await this.#runtime.replay(await this.key(id), options));
  }

  /** Lets time pass: sleepers whose time has come go on. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.#runtime.sweep();
    await this.settle();
  }

  /**
   * The process dies in the middle of whatever it does, and another takes over, once the lease has run out.
   *
   * @param workflows as the new process has them; default: the same.
   */
  async restart(...workflows: readonly WorkflowDefinition[]): Promise<void> {
    if (workflows.length > 0) this.#workflows = workflows;
    this.#runtime = this.#newRuntime();
    await this.advance(leaseMs);
  }

  /** Lets everything happen that can happen without time passing. */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 8; turns += 1) await turn();
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

  /** `step-start price` and so on: what happened to which step, or to the workflow. */
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
