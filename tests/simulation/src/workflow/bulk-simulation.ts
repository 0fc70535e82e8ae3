import type { Execution, JsonValue, Owner } from '@halyard/contracts';
import { type BulkRequest, createWorkflow } from '@halyard/core';
import type { BulkAction, BulkFilter, BulkOperation, WorkflowDefinition } from '@halyard/core/server';
import type { BulkPage, BulkTarget } from '../../../../packages/core/src/workflow/bulk/bulk-page.ts';
import { bulkWorkflowId } from '../../../../packages/core/src/workflow/bulk/bulk-workflow-id.ts';
import { retryExecution } from '../../../../packages/core/src/workflow/rewind/retry.ts';
import type { AcceptedChange } from './faulty-store.ts';
import type { Schedule } from './schedule.ts';
import { isOpen, maxTurns, SimulatedCluster, type SimulationSeed } from './simulated-cluster.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import { must } from './violation.ts';

const users = ['ada', 'ben'] as const;
const tenants = ['one', 'two'] as const;
const workflowIds = ['asks', 'fails'] as const;
const maxOperations = 6;

class BodyFailure extends Error {}

/** What the store has accepted for one execution. */
interface Changes {
  /** Request ids of accepted answers. */
  readonly answers: Set<string>;
  /** Reasons of requests to cancel. */
  readonly cancels: Set<string>;
  /** The numbers of the last events before retries. */
  readonly retries: number[];
}

/**
 * A bulk operation that was asked for. It is asked for again, with the same request id, until it is
 * answered.
 */
interface Asked {
  readonly request: BulkRequest & { readonly requestId: string };
  readonly owner: Owner;
  /** The root executions that existed before. */
  readonly before: readonly string[];
  /** The process that is to answer. It may have crashed. */
  sentTo?: SimulatedProcess | undefined;
  bulkId?: string;
}

/**
 * Several processes carry out bulk operations on executions that callers also change, one at a
 * time. Calls fail and processes crash. The store returns short pages, so that each operation reads
 * several.
 */
export class BulkSimulation {
  readonly #cluster: SimulatedCluster;
  readonly #changes = new Map<string, Changes>();
  readonly #asked: Asked[] = [];
  /** Retries that callers asked for: `<execution> <number of its last event>`. */
  readonly #retriesOfCallers = new Set<string>();
  #answers = 0;
  #workflows: ReadonlyMap<string, WorkflowDefinition> = new Map();

  constructor(seed: SimulationSeed) {
    this.#cluster = new SimulatedCluster({
      ...seed,
      workflows: () => {
        this.#workflows = simulatedWorkflows(() => this.#cluster.random.chance(0.7));
        return this.#workflows;
      },
      onChanged: this.#onChanged,
    });
  }

  get schedule(): Schedule {
    return this.#cluster.schedule;
  }

  /** @throws Violation */
  async run(): Promise<void> {
    const { random } = this.#cluster;
    for (let count = random.between(3, 8); count > 0; count -= 1) this.#begin();
    const turns = random.between(60, 250);
    for (let turn = 0; turn < turns && !this.#cluster.isDisturbedEnough; turn += 1) await this.#turn();
    this.#cluster.setFailure(0);
    await this.#ask();
    await this.#drain();
    const operations = (await this.#cluster.rows()).filter(({ workflowId }) => workflowId === bulkWorkflowId);
    must(
      operations.length === this.#asked.length,
      () => `${this.#asked.length} bulk operations have ${operations.length} executions`,
    );
    for (const asked of this.#asked) await this.#check(asked);
    await this.#checkRetries();
  }

  /** Makes one random event happen. */
  async #turn(): Promise<void> {
    const { random, schedule } = this.#cluster;
    const chance = random.next();
    if (chance < 0.03) this.#begin();
    else if (chance < 0.06) await this.#ask();
    else if (chance < 0.1) await this.#changeOne();
    else if (chance < 0.87 && schedule.pendingCount > 0) schedule.releaseOne();
    else if (chance < 0.95) await this.#cluster.advance(random.pick([50, 1_000, 10_000]));
    else this.#cluster.randomProcess().renewAndSweep();
    await this.#cluster.settle();
  }

  /** Without faults: all operations are accepted and end. */
  async #drain(): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      must(turn < 4 * maxTurns, () => 'a bulk operation does not end');
      await this.#cluster.settle();
      const unanswered = this.#asked.find(({ bulkId, sentTo }) => bulkId === undefined && sentTo?.hasEnded !== false);
      if (unanswered !== undefined) this.#send(unanswered);
      else if (this.schedule.pendingCount > 0) this.schedule.releaseOne();
      else if ((await this.#cluster.rows()).some((row) => row.status === 'running')) await this.#cluster.advance(1_000);
      else return;
    }
  }

  #begin(): void {
    const { random } = this.#cluster;
    const options = { userId: random.pick(users), metadata: { tenant: random.pick(tenants) } };
    this.#cluster.begin(random.pick(workflowIds), this.#cluster.randomProcess(), { options });
  }

  /**
   * Asks for a bulk operation. Conditions that do not change say exactly which executions it must
   * reach.
   */
  async #ask(): Promise<void> {
    const { random } = this.#cluster;
    if (this.#asked.length >= maxOperations) return;
    const workflowId = random.pick(workflowIds);
    const requestId = `bulk ${this.#asked.length}`;
    const filter: BulkFilter = {
      workflowId,
      ...(random.chance(0.3) && { userId: random.pick(users) }),
      ...(random.chance(0.3) && { metadata: { tenant: random.pick(tenants) } }),
    };
    const actions: readonly [BulkAction, ...BulkAction[]] = [
      { operation: 'cancel', reason: requestId },
      { operation: 'replay', stepId: 'ask' },
      { operation: 'resume', resumeData: requestId },
      { operation: 'retry' },
      { operation: 'retry' },
    ];
    const action = random.pick(
      workflowId === 'asks' ? [actions[0], ...actions.slice(1, 3)] : [actions[0], ...actions.slice(3)],
    );
    const owner = random.chance(0.6) ? 'anyone' : { user: random.pick(users) };
    const before = (await this.#cluster.rows()).map(({ id }) => id);
    const asked: Asked = { request: { ...action, filter, requestId }, owner, before };
    this.#asked.push(asked);
    this.#send(asked);
  }

  #send(asked: Asked): void {
    const process = this.#cluster.randomProcess();
    const { owner, request } = asked;
    this.schedule.note(`${process.name} asks for ${request.requestId}: ${JSON.stringify({ ...request, owner })}`);
    asked.sentTo = process;
    void process.bulk
      .start(request, { owner })
      .then(({ bulkId }) => {
        asked.bulkId = bulkId;
      })
      .catch(() => this.schedule.note(`${request.requestId} got no answer`))
      .finally(() => {
        asked.sentTo = undefined;
      });
  }

  /** A caller answers, cancels or retries one execution. */
  async #changeOne(): Promise<void> {
    const rows = (await this.#cluster.rows()).filter(({ workflowId }) => workflowId !== bulkWorkflowId);
    const row = this.#cluster.pick(rows);
    const workflow = this.#workflows.get(row?.workflowId ?? '');
    if (row === undefined || workflow === undefined) return;
    const { executor, store } = this.#cluster.randomProcess();
    const { id: executionId, workflowId } = row;
    const [suspension] = row.suspensions;
    this.#answers += 1;
    const requestId = `answer ${this.#answers}`;
    const failed = (): void => this.schedule.note('a change failed');
    if (row.status === 'error') {
      this.#retriesOfCallers.add(`${executionId} ${row.seq}`);
      void retryExecution(store, 'anyone', { root: row, workflow }).catch(failed);
    } else if (suspension !== undefined && this.#cluster.random.chance(0.5)) {
      const answer = { executionId, suspensionId: suspension.id, data: requestId, requestId };
      void store.resume('anyone', answer).catch(failed);
    } else if (isOpen(row) && this.#cluster.random.chance(0.3))
      void store
        .request('anyone', executionId, { kind: 'cancel', reason: 'asked' })
        .then(() => executor.signal({ executionId, workflowId }, { isUrgent: true }))
        .catch(failed);
  }

  /** Each execution that matches was changed once or is reported, and no other one was changed. */
  async #check({ before, bulkId = '', owner, request }: Asked): Promise<void> {
    const what = `${request.requestId} (${request.operation})`;
    const report = await this.#reportOf(bulkId);
    must(report.status === 'completed', () => `${what} is ${report.status}: ${report.error?.message}`);
    const targets = await this.#targetsOf(bulkId);
    const ids = new Set(targets.map(({ executionId }) => executionId));
    must(ids.size === targets.length, () => `${what} has reached an execution twice`);
    for (const row of await this.#cluster.rows()) {
      const { id } = row;
      const fits = matches(row, request.filter ?? {}, owner);
      must(fits || !ids.has(id), () => `${what} has reached ${id}, which does not match`);
      must(!fits || !before.includes(id) || ids.has(id), () => `${what} has not reached ${id}`);
      if (!ids.has(id)) must(!this.#isChangedBy(id, bulkId, request), () => `${what} has changed ${id}`);
    }
    const refused = [...report.skips, ...report.failures].map(({ executionId }) => executionId);
    const total = report.succeeded + report.skipped + report.failed;
    must(total === targets.length, () => `${what} reports ${total} executions, not ${targets.length}`);
    must(new Set(refused).size === report.skipped + report.failed, () => `${what} reports an execution twice`);
    for (const target of targets)
      await this.#checkTarget(target, { bulkId, what, isRefused: refused.includes(target.executionId) });
  }

  async #checkTarget(
    target: BulkTarget,
    { bulkId, isRefused, what }: { readonly bulkId: string; readonly isRefused: boolean; readonly what: string },
  ): Promise<void> {
    const { executionId: id } = target;
    const row = await this.#cluster.store.find('anyone', id);
    must(row !== undefined, () => `${id} is missing`);
    const changes = this.#changesOf(id);
    switch (target.todo) {
      case 'cancel':
        must(
          isRefused || row.status === 'cancelled',
          () => `${what} reports ${id} as cancelled, but it is ${row.status}`,
        );
        return;
      case 'resume':
        must(
          changes.answers.has(bulkId) !== isRefused,
          () => `${what} reports ${id} as ${isRefused ? 'refused' : 'resumed'}`,
        );
        return;
      case 'retry': {
        const count = changes.retries.filter((seq) => seq === target.seq).length;
        must(isRefused ? count === 0 : count === 1, () => `${what} has retried ${id} ${count} times`);
        return;
      }
      case 'replay': {
        const filter = { parentExecutionId: null, metadata: { replayedFrom: id }, limit: 100, offset: 0 };
        const { executions } = await this.#cluster.store.list('anyone', filter);
        // A planted bug adds a number to the id: `p2-1 16`. The replay `p2-16` is another one.
        const count = executions.filter((each) => each.id.split(' ')[0] === target.replayId).length;
        must(isRefused ? count === 0 : count === 1, () => `${what} has replayed ${id} ${count} times`);
        return;
      }
      case 'skip':
        must(isRefused, () => `${what} does not report ${id}, which it has skipped`);
        return;
      default:
        target satisfies never;
    }
  }

  /**
   * Each retry was asked for by a caller or by the plan of a bulk operation, and was accepted once.
   */
  async #checkRetries(): Promise<void> {
    const planned = new Set(this.#retriesOfCallers);
    for (const { bulkId = '' } of this.#asked)
      for (const target of await this.#targetsOf(bulkId))
        if (target.todo === 'retry') planned.add(`${target.executionId} ${target.seq}`);
    for (const [id, { retries }] of this.#changes)
      for (const [index, seq] of retries.entries()) {
        must(retries.indexOf(seq) === index, () => `${id} was retried twice from event ${seq}`);
        must(planned.has(`${id} ${seq}`), () => `nobody has asked for the retry of ${id} from event ${seq}`);
      }
  }

  /** Without the report of retries: a caller may have asked for the same one. */
  #isChangedBy(id: string, bulkId: string, { requestId }: Asked['request']): boolean {
    const { answers, cancels } = this.#changesOf(id);
    return answers.has(bulkId) || cancels.has(requestId);
  }

  async #targetsOf(bulkId: string): Promise<readonly BulkTarget[]> {
    const journal = await this.#cluster.store.journal('anyone', bulkId);
    const pages = journal.filter(({ path }) => /^pages:\d+\/page\/read$/u.test(path));
    return pages.flatMap(({ output }) => pageOf(output)?.targets ?? []);
  }

  async #reportOf(bulkId: string): Promise<BulkOperation> {
    const operation = this.#cluster.last.bulk.get(bulkId);
    let report: BulkOperation | undefined;
    void operation.then((each) => {
      report = each;
    });
    for (let turn = 0; report === undefined; turn += 1) {
      must(turn < maxTurns, () => `${bulkId} is not reported`);
      await this.#cluster.settle();
      this.schedule.releaseOne();
      await this.schedule.settled();
    }
    return report;
  }

  #changesOf(id: string): Changes {
    const changes = this.#changes.get(id) ?? { answers: new Set(), cancels: new Set(), retries: [] };
    this.#changes.set(id, changes);
    return changes;
  }

  readonly #onChanged = (id: string, change: AcceptedChange): void => {
    const { answers, cancels, retries } = this.#changesOf(id);
    if (change.kind === 'resumed') answers.add(change.requestId);
    else if (change.kind === 'requested') cancels.add(change.reason);
    else retries.push(change.seq);
  };
}

/** What a step has recorded that reads a page. */
function pageOf(output: unknown): BulkPage | null {
  return output as BulkPage | null;
}

/** Executions that ask a question, and executions that fail as often as chance decides. */
function simulatedWorkflows(fails: () => boolean): ReadonlyMap<string, WorkflowDefinition> {
  const asks = createWorkflow({ id: 'asks' })
    .andThen({ id: 'ask', execute: ({ resumeData, suspend }): unknown => resumeData ?? suspend('asks') })
    .andThen({ id: 'done', execute: ({ data }) => data });
  const failing = createWorkflow({ id: 'fails' }).andThen({
    id: 'call',
    execute: () => {
      if (fails()) throw new BodyFailure('down');
      return 'up';
    },
  });
  return new Map<string, WorkflowDefinition>([
    ['asks', asks],
    ['fails', failing],
  ]);
}

function matches({ metadata, userId, workflowId }: Execution, filter: BulkFilter, owner: Owner): boolean {
  const tenant: JsonValue | undefined = filter.metadata?.['tenant'];
  return (
    workflowId === filter.workflowId &&
    (filter.userId === undefined || userId === filter.userId) &&
    (tenant === undefined || metadata['tenant'] === tenant) &&
    (owner === 'anyone' || userId === owner.user)
  );
}
