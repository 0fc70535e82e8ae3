import type { Execution, JsonValue, NewPublishedEvent, Publication } from '@halyard/contracts';
import { andStart, createWorkflow } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import type { Schedule } from './schedule.ts';
import { isOpen, maxTurns, sameJson, SimulatedCluster, type SimulationSeed } from './simulated-cluster.ts';
import { must } from './violation.ts';

const timeoutMs = 20_000;
const eventName = 'order';
const key = 'o-1';
const eventWaits = ['first', 'second', 'third'] as const;

/**
 * A request that publishes an event. It is repeated with the same request id until it was answered.
 */
interface Request {
  readonly event: NewPublishedEvent;
  isSent: boolean;
  isAnswered: boolean;
}

/**
 * Several processes run executions that wait for events, and executions that start others and wait
 * for their ends. Events are published at random times, also before anyone waits; calls fail and
 * processes crash.
 */
export class EventSimulation {
  readonly #cluster: SimulatedCluster;
  /**
   * How many events had been published before the millisecond in which the execution was created.
   */
  readonly #publishedBefore = new Map<string, number>();
  /** The payloads, in the order in which the store accepted the events. */
  readonly #published: JsonValue[] = [];
  readonly #publishedAt: number[] = [];
  readonly #eventIds = new Set<string>();
  readonly #requests: Request[] = [];

  constructor(seed: SimulationSeed) {
    this.#cluster = new SimulatedCluster({
      ...seed,
      workflows: () => simulatedWorkflows(),
      onCreated: (id) => this.#onCreated(id),
      onPublished: this.#onPublished,
    });
  }

  get schedule(): Schedule {
    return this.#cluster.schedule;
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const turns = this.#cluster.random.between(20, 120);
    for (let turn = 0; turn < turns && !this.#cluster.isDisturbedEnough; turn += 1) await this.#turn();
    this.#cluster.setFailure(0);
    for (const workflowId of ['waits', 'fans']) this.#cluster.begin(workflowId, this.#cluster.last);
    await this.#drain();
    for (const row of await this.#cluster.rows()) await this.#checkEnd(row);
    await this.#checkStarted();
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const chance = this.#cluster.random.next();
    if (chance < 0.05) this.#cluster.begin(this.#cluster.random.pick(['waits', 'fans']), this.#cluster.randomProcess());
    else if (chance < 0.15) this.#publish();
    else if (chance < 0.85 && this.schedule.pendingCount > 0) this.schedule.releaseOne();
    else if (chance < 0.95) await this.#cluster.advance(this.#cluster.random.pick([50, 3_000, timeoutMs]));
    else this.#cluster.randomProcess().renewAndSweep();
    await this.#cluster.settle();
  }

  /**
   * Without faults: everything that was published is answered, and everything ends while further
   * events are published.
   */
  async #drain(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      await this.#cluster.settle();
      const unanswered = this.#requests.find(({ isAnswered, isSent }) => !isAnswered && !isSent);
      if (unanswered !== undefined) this.#send(unanswered);
      else if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if (!(await this.#cluster.rows()).some(isOpen)) return;
      else if (this.#cluster.random.chance(0.5)) this.#publish();
      else await this.#cluster.advance(1_000);
    }
  }

  /**
   * An execution receives every event that was published after its start once, in this order. A
   * wait that timed out receives nothing.
   */
  async #checkEnd({ id, output, status, workflowId }: Execution): Promise<void> {
    must(status === 'completed', () => `${id} is ${status}`);
    const journal = await this.#cluster.store.journal('anyone', id);
    if (workflowId === 'fans') {
      const starts = ['starts:0/start#started', 'starts:1/start#started'];
      const ids = starts.map((path) => journal.find((entry) => entry.path === path)?.output);
      const ends = await Promise.all(
        ids.map(async (each) => (typeof each === 'string' ? this.#cluster.store.find('anyone', each) : undefined)),
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
    const rows = await this.#cluster.rows();
    for (const fan of rows.filter(({ workflowId }) => workflowId === 'fans')) {
      const { executions } = await this.#cluster.store.list('anyone', {
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

  #publish(): void {
    const payload = this.#requests.length;
    const event = { id: `event-${payload}`, name: eventName, key, payload, requestId: `request-${payload}` };
    const request = { event, isSent: false, isAnswered: false };
    this.#requests.push(request);
    this.#send(request);
  }

  #send(request: Request): void {
    const process = this.#cluster.randomProcess();
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

  #onCreated(id: string): void {
    const now = this.#cluster.clock.now();
    this.#publishedBefore.set(id, this.#publishedAt.filter((at) => at < now).length);
  }

  readonly #onPublished = ({ name, payload }: NewPublishedEvent, { eventId }: Publication): void => {
    if (name !== eventName || this.#eventIds.has(eventId)) return;
    this.#eventIds.add(eventId);
    this.#published.push(payload);
    this.#publishedAt.push(this.#cluster.clock.now());
  };
}

/**
 * An execution that waits for three events, and one that starts two others and waits for their
 * ends.
 */
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
