import type { Execution, JsonValue, NewPublishedEvent, Publication } from '@halyard/contracts';
import { andRun, type CodeContext, createWorkflow } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import type { Schedule } from './schedule.ts';
import { isOpen, maxTurns, sameJson, SimulatedCluster, type SimulationSeed } from './simulated-cluster.ts';
import type { BodyObserver } from './tree-workflow.ts';
import { must, Violation } from './violation.ts';

const eventName = 'order';
const key = 'o-1';
const sleepMs = 7_000;
const timeoutMs = 20_000;
const rounds = 3;

/**
 * What one run of the code returns: of each round the payload of its event, or null when none came
 * in time.
 */
type Received = JsonValue[];

/**
 * Several processes run code with loops, sleeps and waits for events, by itself and inside of
 * loops. Executions that have ended are replayed. Calls fail and processes crash.
 */
export class CodeSimulation {
  readonly #cluster: SimulatedCluster;
  /**
   * How many events had been published before the millisecond in which the execution was created.
   */
  readonly #publishedBefore = new Map<string, number>();
  readonly #published: JsonValue[] = [];
  readonly #publishedAt: number[] = [];
  readonly #eventIds = new Set<string>();
  #events = 0;

  constructor(seed: SimulationSeed) {
    this.#cluster = new SimulatedCluster({
      ...seed,
      workflows: (observer) => this.#workflows(observer),
      onBody: this.#onBody,
      onCreated: (id) => {
        const now = this.#cluster.clock.now();
        this.#publishedBefore.set(id, this.#publishedAt.filter((at) => at < now).length);
      },
      onPublished: this.#onPublished,
    });
  }

  get schedule(): Schedule {
    return this.#cluster.schedule;
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const turns = this.#cluster.random.between(20, 150);
    for (let turn = 0; turn < turns && !this.#cluster.isDisturbedEnough; turn += 1) await this.#turn();
    this.#cluster.setFailure(0);
    for (const workflowId of ['code', 'loops']) this.#cluster.begin(workflowId, this.#cluster.last);
    await this.#drain();
    const ended = await this.#cluster.rows();
    for (const row of ended) await this.#checkEnd(row);
    await this.#replay(ended);
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const { random, schedule } = this.#cluster;
    const chance = random.next();
    if (chance < 0.04) this.#cluster.begin(random.pick(['code', 'loops']), this.#cluster.randomProcess());
    else if (chance < 0.1) this.#publish();
    else if (chance < 0.82 && schedule.pendingCount > 0) schedule.releaseOne();
    else if (chance < 0.95) await this.#cluster.advance(random.pick([50, 3_000, sleepMs, timeoutMs]));
    else this.#cluster.randomProcess().renewAndSweep();
    await this.#cluster.settle();
  }

  /** Without faults: everything ends. */
  async #drain(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      await this.#cluster.settle();
      if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if (!(await this.#cluster.rows()).some(isOpen)) return;
      else if (this.#cluster.random.chance(0.1)) this.#publish();
      else await this.#cluster.advance(1_000);
    }
  }

  /**
   * A replay from the step after the code keeps what the code has recorded, so that it reaches the
   * same end.
   */
  async #replay(rows: readonly Execution[]): Promise<void> {
    const replays: { readonly row: Execution; id?: string }[] = rows.map((row) => ({ row }));
    for (const replay of replays)
      void this.#cluster.last.replay(replay.row, 'sum').then((id) => {
        replay.id = id;
      });
    await this.#drain();
    for (const { id, row } of replays) {
      const end = id === undefined ? undefined : await this.#cluster.store.find('anyone', id);
      must(end?.status === 'completed', () => `the replay of ${row.id} is ${end?.status}`);
      must(
        sameJson(end.output, row.output),
        () => `the replay of ${row.id} ended with ${JSON.stringify(end.output)}, not ${JSON.stringify(row.output)}`,
      );
    }
  }

  /** No step starts again that is recorded. */
  readonly #onBody = (process: string, id: string, path: string): void => {
    const { claim, recorded } = this.#cluster.observedOf(id);
    // A process that lost its lease without noticing may still start a body. The output of that
    // body is not written.
    if (claim?.runner === process && recorded.has(path))
      this.#cluster.report(new Violation(`${id}: ${path} starts again, although it is recorded`));
  };

  /**
   * Every step is recorded, the code has returned what they recorded, and each event was received
   * once and in order.
   */
  async #checkEnd({ error, id, output, status, workflowId }: Execution): Promise<void> {
    must(status === 'completed', () => `${id} is ${status}: ${error?.message}`);
    const journal = await this.#cluster.store.journal('anyone', id);
    const outputs = new Map(journal.map((entry) => [entry.path, entry.output]));
    must(outputs.size === journal.length, () => `${id} has recorded a step twice`);
    const runs = workflowId === 'code' ? ['code'] : ['each:0/code', 'each:1/code', 'again:0/more', 'again:1/more'];
    const received: JsonValue[] = [];
    for (const run of runs) {
      const own: JsonValue[] = [];
      for (let round = 0; round < rounds; round += 1) {
        for (const step of ['begin', 'pause', 'slept', 'beside', 'event', 'got'])
          must(outputs.has(`${run}/${step}-${round}`), () => `${id} has not recorded ${run}/${step}-${round}`);
        own.push(outputs.get(`${run}/event-${round}`) ?? null);
      }
      if (!run.startsWith('again'))
        must(sameJson(outputs.get(run), own), () => `${id}: ${run} returned ${JSON.stringify(outputs.get(run))}`);
      received.push(...own.filter((payload) => payload !== null));
    }
    must(sameJson(output, received.length), () => `${id} ended with ${JSON.stringify(output)}`);
    // Of two parallel runs, either may receive the next event.
    const expected = this.#published.slice(this.#publishedBefore.get(id)).slice(0, received.length);
    const inOrder = (payloads: readonly JsonValue[]) => payloads.toSorted((one, other) => Number(one) - Number(other));
    const fits = workflowId === 'code' ? sameJson(received, expected) : sameJson(inOrder(received), inOrder(expected));
    must(fits, () => `${id} received ${JSON.stringify(received)}, not ${JSON.stringify(expected)}`);
  }

  #publish(): void {
    this.#events += 1;
    const payload = this.#events;
    const event = { id: `event-${payload}`, name: eventName, key, payload, requestId: `request-${payload}` };
    const process = this.#cluster.randomProcess();
    this.schedule.note(`${process.name} publishes ${event.id}`);
    void process.publish(event).catch(() => this.schedule.note(`${event.id} failed`));
  }

  readonly #onPublished = ({ name, payload }: NewPublishedEvent, { eventId }: Publication): void => {
    if (name !== eventName || this.#eventIds.has(eventId)) return;
    this.#eventIds.add(eventId);
    this.#published.push(payload);
    this.#publishedAt.push(this.#cluster.clock.now());
  };

  /** Code by itself, and code inside of loops. */
  #workflows(observer: BodyObserver): ReadonlyMap<string, WorkflowDefinition> {
    const alone = createWorkflow({ id: 'code' })
      .andRun({ id: 'code', run: (context) => this.#code(context, observer) })
      .andThen({ id: 'sum', execute: ({ data }) => countOf(data) });
    const inList = andRun<number, Received>({ id: 'code', run: (context) => this.#code(context, observer) });
    const again = andRun<Received, Received>({
      id: 'more',
      run: async (context) => [...context.data, ...(await this.#code(context, observer))],
    });
    const loops = createWorkflow({ id: 'loops' })
      .andForEach({ id: 'each', concurrency: 2, items: () => [0, 1], step: inList })
      .andThen({ id: 'flat', execute: ({ data }) => data.flat() })
      .andDoWhile({ id: 'again', step: again, condition: ({ data }) => data.length < 4 * rounds })
      .andThen({ id: 'sum', execute: ({ data }) => countOf(data) });
    return new Map<string, WorkflowDefinition>([
      ['code', alone],
      ['loops', loops],
    ]);
  }

  async #code<In>({ sleep, step, waitForEvent }: CodeContext<In>, observer: BodyObserver): Promise<Received> {
    const { clock, report } = this.#cluster;
    /** A step that returns the time at which it ends. */
    const timed = (id: string, check: () => void = () => {}) =>
      step(id, async ({ idempotencyKey }) => {
        const slash = idempotencyKey.indexOf('/');
        const [executionId, path] = [idempotencyKey.slice(0, slash), idempotencyKey.slice(slash + 1)];
        await observer.starts(executionId, path, undefined);
        check();
        await observer.works(path);
        return clock.now();
      });
    const received: JsonValue[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const begunAt = await timed(`begin-${round}`);
      const slept = async (): Promise<number> => {
        await sleep(`pause-${round}`, sleepMs);
        return timed(`slept-${round}`, () => {
          const passedMs = clock.now() - begunAt;
          if (passedMs < sleepMs) report(new Violation(`a sleep of ${sleepMs} ms took ${passedMs} ms`));
        });
      };
      const [sleptAt] = await Promise.all([slept(), timed(`beside-${round}`)]);
      const payload = await waitForEvent(`event-${round}`, { event: eventName, key, timeoutMs });
      await timed(`got-${round}`, () => {
        const passedMs = clock.now() - sleptAt;
        if (payload === null && passedMs < timeoutMs)
          report(new Violation(`a wait of ${timeoutMs} ms ended after ${passedMs} ms`));
      });
      received.push(payload);
    }
    return received;
  }
}

function countOf(received: Received): number {
  return received.filter((payload) => payload !== null).length;
}
