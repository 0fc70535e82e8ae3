import type { Execution } from '@halyard/contracts';
import type { FlowControl } from '@halyard/core/server';
import type { TreeStep } from './random-tree.ts';
import type { Schedule } from './schedule.ts';
import { isOpen, maxTurns, SimulatedCluster, type SimulationSeed } from './simulated-cluster.ts';
import { treeWorkflow } from './tree-workflow.ts';
import { must, Violation } from './violation.ts';

const rounds = 3;
const debounceMs = 20_000;
const throttle = { limit: 2, periodMs: 20_000 };

const rules: Readonly<Record<string, FlowControl>> = {
  skips: { singleton: { onBusy: 'skip' } },
  replaces: { singleton: { onBusy: 'cancel-running' } },
  debounced: { debounce: { delayMs: debounceMs } },
  throttled: { throttle },
};
const workflowIds = ['skips', 'replaces', 'debounced', 'throttled'] as const;

const tree: readonly TreeStep[] = [
  {
    kind: 'then',
    id: 'work',
    body: { isSync: false, suspends: false, failures: 0, attempts: 1, throwsOnAbort: true, end: 'output' },
  },
];

/** Several processes start executions with the same key, while calls fail and processes crash. */
export class StartSimulation {
  readonly #cluster: SimulatedCluster;
  /** Executions that were replaced before any process had claimed them. */
  readonly #replaced = new Set<string>();
  /**
   * The earliest start of each throttled execution, in the order in which the store created them.
   */
  readonly #earliestStarts = new Map<string, number>();

  constructor(seed: SimulationSeed) {
    this.#cluster = new SimulatedCluster({
      ...seed,
      workflows: (observer) => new Map(workflowIds.map((id) => [id, treeWorkflow(id, tree, observer, rules[id])])),
      onBody: (_process, id) => this.#onBody(id),
      onCreated: (id) => this.#onCreated(id),
    });
  }

  get schedule(): Schedule {
    return this.#cluster.schedule;
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const failure = this.#cluster.random.pick([0, 0.05, 0.1]);
    for (let round = 0; round < rounds; round += 1) {
      this.#cluster.setFailure(failure);
      const turns = this.#cluster.random.between(10, 60);
      for (let turn = 0; turn < turns && !this.#cluster.isDisturbedEnough; turn += 1) await this.#turn();
      this.#cluster.setFailure(0);
      await this.#replaceOlder();
      await this.#drain();
      for (const workflowId of ['replaces', 'debounced']) await this.#checkLast(workflowId);
      // All have ended, so it is not refused.
      await this.#begin('skips');
    }
    await this.#drain();
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const chance = this.#cluster.random.next();
    if (chance < 0.2) this.#beginRandom();
    else if (chance < 0.8 && this.schedule.pendingCount > 0) this.schedule.releaseOne();
    else if (chance < 0.9) await this.#cluster.advance(this.#cluster.random.pick([50, 3_000, debounceMs]));
    else this.#cluster.randomProcess().renewAndSweep();
    await this.#check();
  }

  /**
   * A start that was answered has replaced all older ones, also those of processes that crashed or
   * got no answer.
   */
  async #replaceOlder(): Promise<void> {
    for (let start = 0; start < 4; start += 1) this.#beginRandom();
    for (const workflowId of ['replaces', 'debounced']) {
      const id = await this.#begin(workflowId);
      const rows = await this.#rowsOf(workflowId);
      for (const row of rows.slice(
        0,
        rows.findIndex((each) => each.id === id),
      )) {
        const mayGoOn = workflowId === 'debounced' && row.epoch > 0;
        must(!isOpen(row) || row.request?.kind === 'cancel' || mayGoOn, () => `${id} did not replace ${row.id}`);
        if (row.epoch === 0) this.#replaced.add(row.id);
      }
    }
  }

  /** Nothing replaces the execution that was created last. */
  async #checkLast(workflowId: string): Promise<void> {
    const last = (await this.#rowsOf(workflowId)).at(-1);
    must(last?.status === 'completed', () => `the last of ${workflowId}, ${last?.id}, is ${last?.status}`);
  }

  async #check(): Promise<void> {
    await this.#cluster.settle();
    const open = (await this.#rowsOf('skips')).filter(isOpen);
    must(open.length <= 1, () => `${open.map(({ id }) => id).join(' and ')} have not ended`);
  }

  /** Without faults: everything ends. */
  async #drain(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      must(turn < maxTurns, () => 'an execution does not end');
      await this.#check();
      if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if ((await this.#cluster.rows()).some(isOpen)) await this.#cluster.advance(1_000);
      else return;
    }
  }

  /** Starts an execution in the process that never crashes. @returns its id. */
  async #begin(workflowId: string): Promise<string> {
    let begun: { readonly id: string } | { readonly error: unknown } | undefined;
    void this.#cluster.last.begin(workflowId).then(
      (id) => {
        begun = { id };
      },
      (error: unknown) => {
        begun = { error };
      },
    );
    for (let turn = 0; begun === undefined; turn += 1) {
      must(turn < maxTurns, () => `a start of ${workflowId} gets no answer`);
      await this.#check();
      this.schedule.releaseOne();
      await this.schedule.settled();
    }
    must('id' in begun, () => `a start of ${workflowId} failed`);
    return begun.id;
  }

  #beginRandom(): void {
    this.#cluster.begin(this.#cluster.random.pick(workflowIds), this.#cluster.randomProcess());
  }

  #onBody(id: string): void {
    this.schedule.note(`the body of ${id} starts`);
    if (this.#cluster.clock.now() < (this.#earliestStarts.get(id) ?? 0))
      this.#cluster.report(new Violation(`${id} runs at ${this.#cluster.clock.now()}, too soon after others`));
    if (this.#replaced.has(id)) this.#cluster.report(new Violation(`${id} runs, although it was replaced before`));
  }

  /** The executions of a workflow, in the order in which the store created them. */
  #created(workflowId: string): readonly string[] {
    return [...this.#cluster.observed.keys()].filter((id) => workflowOf(id) === workflowId);
  }

  async #rowsOf(workflowId: string): Promise<readonly Execution[]> {
    const rows = await Promise.all(this.#created(workflowId).map((id) => this.#cluster.store.find('anyone', id)));
    return rows.filter((row) => row !== undefined);
  }

  /** The store has created the execution. */
  #onCreated(id: string): void {
    if (workflowOf(id) !== 'throttled') return;
    const before = [...this.#earliestStarts.values()].at(-throttle.limit);
    const now = this.#cluster.clock.now();
    this.#earliestStarts.set(id, before === undefined ? now : Math.max(now, before + throttle.periodMs));
  }
}

function workflowOf(id: string): string | undefined {
  return id.split('-')[1];
}
