import type { Clock, Execution, ExecutionStore, JsonValue, NewPublishedEvent, Publication } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { type FixedClock, fixedClock } from '../../testing/fixed-clock.ts';
import { createWorkflow } from '../create-workflow.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { andStart } from '../steps/and-start.ts';
import { Mutex } from './mutex.ts';
import { Observed } from './observed.ts';
import { Random } from './random.ts';
import { Schedule } from './schedule.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { must, type Violation } from './violation.ts';

/** Faults stop after this many claims without a commit: after more, the executor quarantines an execution. */
const maxClaimsWithoutCommit = 3;
const maxTurns = 5_000;
const timeoutMs = 20_000;
const eventName = 'order';
const key = 'o-1';
const eventWaits = ['first', 'second', 'third'] as const;

export interface EventSimulationOptions {
  readonly seed: number;
  readonly createStore?: (clock: Clock) => ExecutionStore;
}

/** A request that publishes an event. It is repeated with the same request id until it was answered. */
interface Request {
  readonly event: NewPublishedEvent;
  isSent: boolean;
  isAnswered: boolean;
}

/**
 * Several processes run executions that wait for events, and executions that start others and wait for their ends. Events are published at random times, also before anyone waits;
 * calls fail and processes crash.
 */
export class EventSimulation {
  readonly schedule: Schedule;
  readonly #random: Random;
  readonly #clock: FixedClock = fixedClock(1_000_000);
  readonly #store: ExecutionStore;
  readonly #processes: readonly SimulatedProcess[];
  readonly #observed = new Map<string, Observed>();
  /** How many events had been published before the millisecond in which the execution was created. */
  readonly #publishedBefore = new Map<string, number>();
  /** The payloads, in the order in which the store accepted the events. */
  readonly #published: JsonValue[] = [];
  readonly #publishedAt: number[] = [];
  readonly #eventIds = new Set<string>();
  readonly #requests: Request[] = [];
  #violation: Violation | undefined;

  constructor({ createStore = (clock) => new InMemoryExecutionStore(clock), seed }: EventSimulationOptions) {
    const random = new Random(seed);
    const schedule = new Schedule(random);
    const mutex = new Mutex();
    this.#random = random;
    this.schedule = schedule;
    this.#store = createStore(this.#clock);
    this.#processes = [0, 1, 2].map(
      (index) =>
        new SimulatedProcess({
          name: `p${index}`,
          store: this.#store,
          schedule,
          random,
          clock: this.#clock,
          mutex,
          // The last process never crashes.
          faults: {
            failure: random.pick([0, 0.05, 0.1]),
            delay: random.pick([0.3, 0.7, 1]),
            end:
              index < 2 && random.chance(0.5) ? { call: random.below(80), isExecuted: random.chance(0.5) } : undefined,
          },
          workflows: () => simulatedWorkflows(),
          observed: (id) => this.#observedOf(id),
          onPublished: this.#onPublished,
          onBody: () => {},
          onViolation: (violation) => {
            this.#violation ??= violation;
          },
        }),
    );
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const turns = this.#random.between(20, 120);
    for (let turn = 0; turn < turns && !this.#shouldStopFaults(); turn += 1) await this.#turn();
    for (const { faults } of this.#processes) faults.failure = 0;
    this.schedule.note('no faults from here on');
    for (const workflowId of ['waits', 'fans']) this.#begin(workflowId, this.#processes.at(-1));
    await this.#drain();
    for (const row of await this.#rows()) await this.#checkEnd(row);
    await this.#checkStarted();
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const chance = this.#random.next();
    if (chance < 0.05) this.#begin(this.#random.pick(['waits', 'fans']), this.#randomProcess());
    else if (chance < 0.15) this.#publish();
    else if (chance < 0.85 && this.schedule.pendingCount > 0) this.schedule.releaseOne();
    else if (chance < 0.95) await this.#advance(this.#random.pick([50, 3_000, timeoutMs]));
    else this.#randomProcess().renewAndSweep();
    await this.#settle();
  }

  /** Without faults: everything that was published is answered, and everything ends while further events are published. */
  async #drain(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      await this.#settle();
      const unanswered = this.#requests.find(({ isAnswered, isSent }) => !isAnswered && !isSent);
      if (unanswered !== undefined) this.#send(unanswered);
      else if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if (!(await this.#rows()).some(isOpen)) return;
      else if (this.#random.chance(0.5)) this.#publish();
      else await this.#advance(1_000);
    }
  }

  async #settle(): Promise<void> {
    await this.schedule.settled();
    if (this.#violation !== undefined) throw this.#violation;
  }

  /** An execution receives every event that was published after its start once, in this order. A wait that timed out receives nothing. */
  async #checkEnd({ id, output, status, workflowId }: Execution): Promise<void> {
    must(status === 'completed', () => `${id} is ${status}`);
    const journal = await this.#store.journal('anyone', id);
    if (workflowId === 'fans') {
      const starts = ['starts:0/start#started', 'starts:1/start#started'];
      const ids = starts.map((path) => journal.find((entry) => entry.path === path)?.output);
      const ends = await Promise.all(
        ids.map(async (each) => (typeof each === 'string' ? this.#store.find('anyone', each) : undefined)),
      );
      const expected = ends.map((end) => ({ executionId: end?.id, status: 'completed', output: end?.output }));
      must(sameJson(output, expected), () => `${id} joined ${JSON.stringify(output)}, not ${JSON.stringify(expected)}`);
      return;
    }
    const waits: readonly string[] = eventWaits;
    const received = journal
      .filter(({ path }) => waits.includes(path))
      .toSorted((one, other) => waits.indexOf(one.path) - waits.indexOf(other.path))
      .map((entry) => entry.output)
      .filter((payload) => payload !== null);
    const expected = this.#published.slice(this.#publishedBefore.get(id)).slice(0, received.length);
    must(
      sameJson(received, expected),
      () => `${id} received ${JSON.stringify(received)}, not ${JSON.stringify(expected)}`,
    );
  }

  /** Every step has started one execution, however often it ran. */
  async #checkStarted(): Promise<void> {
    const rows = await this.#rows();
    for (const fan of rows.filter(({ workflowId }) => workflowId === 'fans')) {
      const { executions } = await this.#store.list('anyone', {
        parentExecutionId: null,
        metadata: { startedBy: fan.id },
        limit: 100,
        offset: 0,
      });
      must(executions.length === 2, () => `${fan.id} has started ${executions.length} executions, not 2`);
    }
    must(
      new Set(this.#published).size === this.#published.length,
      () => `published twice: ${JSON.stringify(this.#published)}`,
    );
  }

  #begin(workflowId: string, process: SimulatedProcess | undefined): void {
    this.schedule.note(`${process?.name} begins ${workflowId}`);
    void process?.begin(workflowId).catch(() => this.schedule.note(`a start of ${workflowId} failed`));
  }

  #publish(): void {
    const payload = this.#requests.length;
    const event = { id: `event-${payload}`, name: eventName, key, payload, requestId: `request-${payload}` };
    const request = { event, isSent: false, isAnswered: false };
    this.#requests.push(request);
    this.#send(request);
  }

  #send(request: Request): void {
    const process = this.#randomProcess();
    this.schedule.note(`${process.name} publishes ${request.event.id}`);
    request.isSent = true;
    void process
      .publish(request.event)
      .then(() => {
        request.isAnswered = true;
      })
      .catch(() => this.schedule.note(`${request.event.id} failed`))
      .finally(() => {
        request.isSent = false;
      });
  }

  async #advance(ms: number): Promise<void> {
    this.#clock.advance(ms);
    this.schedule.note(`it is ${this.#clock.now()}`);
    for (const process of this.#living) if (process.nextSweepAt <= this.#clock.now()) process.renewAndSweep();
    await this.schedule.settled();
  }

  #shouldStopFaults(): boolean {
    return [...this.#observed.values()].some((each) => each.claimsWithoutCommit >= maxClaimsWithoutCommit);
  }

  get #living(): readonly SimulatedProcess[] {
    return this.#processes.filter(({ hasEnded }) => !hasEnded);
  }

  #randomProcess(): SimulatedProcess {
    const process = this.#living[this.#random.below(this.#living.length)];
    must(process !== undefined, () => 'no process is left');
    return process;
  }

  async #rows(): Promise<readonly Execution[]> {
    const rows = await Promise.all([...this.#observed.keys()].map((id) => this.#store.find('anyone', id)));
    return rows.filter((row) => row !== undefined);
  }

  #observedOf(id: string): Observed {
    const observed = this.#observed.get(id);
    return observed ?? this.#created(id);
  }

  #created(id: string): Observed {
    const observed = new Observed();
    this.#observed.set(id, observed);
    const now = this.#clock.now();
    this.#publishedBefore.set(id, this.#publishedAt.filter((at) => at < now).length);
    return observed;
  }

  readonly #onPublished = ({ name, payload }: NewPublishedEvent, { eventId }: Publication): void => {
    if (name !== eventName || this.#eventIds.has(eventId)) return;
    this.#eventIds.add(eventId);
    this.#published.push(payload);
    this.#publishedAt.push(this.#clock.now());
  };
}

/** An execution that waits for three events, and one that starts two others and waits for their ends. */
function simulatedWorkflows(): ReadonlyMap<string, WorkflowDefinition> {
  const [first, second, third] = eventWaits;
  const waits = createWorkflow({ id: 'waits' })
    .andWaitForEvent({ id: first, event: eventName, key })
    .andWaitForEvent({ id: second, event: eventName, key, timeoutMs })
    .andWaitForEvent({ id: third, event: eventName, key });
  const fans = createWorkflow({ id: 'fans' })
    .andForEach({ id: 'starts', items: () => [0, 1], step: andStart({ id: 'start', workflow: waits }) })
    .andJoin({ id: 'join' });
  return new Map([waits, fans].map((workflow) => [workflow.id, workflow]));
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isOpen({ status }: Execution): boolean {
  return status === 'running' || status === 'suspended';
}
