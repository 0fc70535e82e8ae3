import {
  type ClaimedExecution,
  type ExecutionRequest,
  type ExecutionStatus,
  HalyardError,
  type JournalEntry,
  type Suspension,
  TimeLimitError,
} from '@halyard/contracts';
import { copyJson } from '../../../json/to-json.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { ScopeClosedSignal } from '../branches/control.ts';
import { Scope } from '../branches/scope.ts';
import { CommitDraft } from '../commits/commit-draft.ts';
import { type Closing, CommitWriter } from '../commits/commit-writer.ts';
import { ExecutionRunSpans } from '../spans/execution-run-spans.ts';
import type { Attempt } from '../step/attempt.ts';
import type { StepRun } from '../step/step-run.ts';
import { suspendedResult, suspensionEvent } from '../waits/suspension-report.ts';
import { retryPath, Waits } from '../waits/waits.ts';
import { checkDefinition } from './check-definition.ts';
import { Children } from './children.ts';
import type { Ending } from './ending.ts';
import { executionError } from './execution-error.ts';
import { executionLogger } from './execution-logger.ts';
import type {
  ExecutionRunOptions,
  ExecutionRunOutcome,
  ReleasedRun,
  StartedSteps,
  SuspendWish,
} from './execution-run-options.ts';
import { Generations } from './generations.ts';
import { callEndHooks, callWorkflowHook } from './hooks.ts';
import { LiveExecution } from './live-execution.ts';
import { runWorkflow } from './run-workflow.ts';
import { TimeLimits } from './time-limits.ts';

const noRelease = { status: 'running', suspensions: [], dueAt: null, endedAt: null } as const;

/**
 * One stretch of an execution's life in this process: from a claim until it rests, sleeps, or is lost to another process.
 *
 * Nothing outlives it: strands that wait hold no timer and no listener, and are dropped with it.
 */
export class ExecutionRun {
  readonly root: LiveExecution;
  readonly epoch: number;
  readonly scope: Scope;
  readonly waits: Waits;
  readonly journal: Map<string, JournalEntry>;
  readonly children: Children;
  readonly generations: Generations;
  readonly commits: CommitWriter;
  readonly options: ExecutionRunOptions;
  readonly started: StartedSteps | undefined;
  readonly attempts: Set<Attempt> = new Set();
  readonly limits: TimeLimits = new TimeLimits();
  /** Undefined where nothing is recorded. */
  readonly spans: ExecutionRunSpans | undefined;
  readonly #claimedAt: number;
  readonly #request: ExecutionRequest | null;
  readonly #done = Promise.withResolvers<ExecutionRunOutcome>();
  #signals: number;
  #suspended = 0;
  #halt: { readonly kind: 'suspend' | 'drain'; readonly reason: string } | undefined;
  #isSuspendedFromOutside = false;
  #mustLook = false;
  #ending: Ending | undefined;
  #released: Omit<ReleasedRun, 'kind' | 'root' | 'ending'> = noRelease;

  constructor(
    workflow: WorkflowDefinition,
    claimed: ClaimedExecution,
    options: ExecutionRunOptions,
    started: StartedSteps | undefined,
  ) {
    const { children, execution, journal, now } = claimed;
    const { atTurnEnd, breathe, bus, retryCommit, store, traces } = options;
    this.started = started;
    this.options = options;
    this.epoch = execution.epoch;
    this.#claimedAt = now;
    this.#request = execution.request;
    this.#signals = execution.signals;
    this.root = new LiveExecution(workflow, execution, started?.get(execution.id) ?? new Set());
    this.spans = traces && new ExecutionRunSpans(traces, this.root, execution);
    this.children = new Children(children);
    this.journal = new Map(journal.length === 0 ? undefined : journal.map((entry) => [entry.path, entry]));
    this.generations = new Generations(execution.rewinds);
    this.waits = new Waits(execution);
    this.scope = new Scope(undefined, () => this.commits.flush());
    // From the beginning: it is not quiet before it has run.
    this.scope.enter();
    this.commits = new CommitWriter({
      store,
      executionId: execution.id,
      epoch: execution.epoch,
      seq: execution.seq,
      closing: () => this.#closing(),
      onCommitted: (draft, { childSeqs, seq, signals }) => {
        bus.committed(draft.changes, (id) => (id === execution.id ? seq : childSeqs?.[id]));
        if (signals !== this.#signals) void this.look();
      },
      onSignalled: async () => {
        await this.look();
      },
      atTurnEnd,
      breathe,
      onStopped: (reason) => this.#stopped(reason),
      retry: (tries, error) => retryCommit(execution.id, tries, error),
    });
  }

  /** Runs until it ends, one way or the other. Never rejects. */
  run(): Promise<ExecutionRunOutcome> {
    const { timeoutMs } = this.root.workflow;
    if (timeoutMs !== undefined) this.limits.add(timeoutMs, () => this.#timeUp(timeoutMs));
    if (this.#request !== null) this.#obey(this.#request);
    const { span } = this.root;
    void (span === undefined ? this.#runRoot() : span.run(() => this.#runRoot()));
    return this.#done.promise;
  }

  /** Milliseconds since the epoch. The store's clock may be ahead of ours: what it calls due is due. */
  now(): number {
    return Math.max(this.options.services.clock.now(), this.#claimedAt);
  }

  /** Whether steps must stop at their next boundary. */
  get isHalting(): boolean {
    return this.#halt !== undefined || this.waits.isHeld;
  }

  /**
   * Reads what others have left on the row: answers and requests.
   *
   * @returns false where it is not in charge any more, or the store failed.
   */
  async look(): Promise<boolean> {
    const row = await this.options.store.find('anyone', this.root.id).catch(() => undefined);
    this.#mustLook = row === undefined;
    if (row !== undefined && row.epoch !== this.epoch) this.fence();
    if (row === undefined || row.epoch !== this.epoch || row.runner === null) return false;
    if (this.#ending !== undefined) return true;
    this.#signals = row.signals;
    for (const resumption of row.resumptions) this.waits.answer(resumption);
    if (row.request !== null) this.#obey(row.request);
    return true;
  }

  /** From time to time: sleepers whose time has come go on, and what could not be read is read. */
  catchUp(): void {
    if (this.#mustLook) void this.look();
    this.waits.wakeDue(this.now());
  }

  /** Lets the steps that run finish, and lets go: it goes on elsewhere, or later. */
  drain(): void {
    this.#haltFor({ kind: 'drain', reason: 'the process is shutting down' });
  }

  /** The store has it that somebody else is in charge, or nobody: a commit that is on its way knows better. */
  fence(): void {
    if (!this.commits.isWriting) this.lose(undefined);
  }

  /** Nothing more is written: the execution is left to others. */
  lose(cause: unknown): void {
    this.commits.stop();
    this.#stopped({ failed: cause });
  }

  cancel(reason: string): void {
    this.#finish({ status: 'cancelled', reason });
  }

  /** Ends the execution with what was thrown. */
  fail(cause: unknown): void {
    executionLogger(this.options.services.logger, this.root).error({ err: cause }, 'a workflow failed');
    this.#finish({ status: 'error', error: executionError(this.root.workflow.id, cause), cause });
  }

  record(entry: JournalEntry): void {
    this.journal.set(entry.path, entry);
    this.commits.draft.addEntry(entry);
    this.#settle(entry.path);
    if (this.waits.timers.size > 0) this.#settle(retryPath(entry.path));
  }

  /** A step has seen what came with the resumption after a suspension from outside. */
  useHandedOn(): void {
    for (let one = this.waits.handedOn; one !== undefined; one = this.waits.handedOn) this.#settle(one.path);
  }

  suspend(
    { execution, path: stepPath, span, stepId, stepIndex }: StepRun,
    { data, kind, path = stepPath, reason }: SuspendWish,
  ): void {
    this.#settle(path);
    span?.addEvent('suspended', { 'halyard.suspension.kind': kind, 'halyard.suspension.reason': reason });
    const place = { path, stepId, stepIndex, executionId: execution.id };
    this.#addSuspension({ ...place, kind, reason, ...(data !== undefined && { data }) });
  }

  sleep(path: string, wakeAt: number, attempts?: number): void {
    this.#settle(path);
    const timer = { path, wakeAt, ...(attempts !== undefined && { attempts }) };
    this.waits.timers.set(path, timer);
    this.commits.draft.addTimer(timer);
    this.options.onSleep(wakeAt);
  }

  /** Ends everything inside a step that nobody waits for any more. Who goes on in its place has entered already. */
  closeBelow(path: string, scope: Scope): void {
    const { draft } = this.commits;
    scope.close();
    this.spans?.dropWithin(scope);
    for (const settled of this.waits.settleBelow(path)) draft.settle(settled);
    for (const attempt of this.attempts) if (attempt.scope.isWithin(scope)) attempt.stop(new ScopeClosedSignal());
    this.#cancelChildren(path, 'no longer needed');
  }

  async #runRoot(): Promise<void> {
    try {
      if (this.epoch > 1 || this.journal.size > 0)
        checkDefinition(this.root.workflow, [...this.journal.values()], this.waits.paths);
      if (this.epoch === 1) await callWorkflowHook(this.root, this.options.services.logger, 'onStart');
      this.#finish({ status: 'completed', output: await runWorkflow(this, this.root, this.scope) });
    } catch (error) {
      if (!(error instanceof ScopeClosedSignal)) this.fail(error);
    }
  }

  #obey({ kind, reason }: ExecutionRequest): void {
    if (kind === 'cancel') this.cancel(reason);
    else this.#haltFor({ kind, reason });
  }

  #haltFor(halt: { readonly kind: 'suspend' | 'drain'; readonly reason: string }): void {
    if (this.#ending !== undefined || this.#halt !== undefined) return;
    this.#halt = halt;
    for (const attempt of this.attempts) attempt.halt(halt.reason);
    this.commits.flush();
  }

  #timeUp(limitMs: number): void {
    this.fail(new TimeLimitError(`Workflow "${this.root.workflow.id}"`, limitMs));
  }

  #finish(ending: Ending): void {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    for (const attempt of this.attempts) attempt.stop(new ScopeClosedSignal());
    const reason = ending.status === 'cancelled' ? ending.reason : 'its parent has ended';
    this.#cancelChildren('', reason);
    this.scope.close();
    this.commits.flush();
  }

  #cancelChildren(path: string, reason: string): void {
    if (this.children.isEmpty) return;
    const { logger } = this.options.services;
    for (const child of this.children.cancelBelow(path, reason, this.commits.draft, this.now())) {
      this.spans?.endChild(child);
      void callEndHooks(child, logger, { status: 'cancelled', reason });
    }
  }

  #settle(path: string): void {
    if (this.waits.settle(path)) this.commits.draft.settle(path);
  }

  #addSuspension(fields: Omit<Suspension, 'id' | 'suspendedAt'>): void {
    const { draft } = this.commits;
    this.#suspended += 1;
    const suspension = { ...fields, id: `${this.epoch}.${this.#suspended}`, suspendedAt: this.now() };
    this.waits.suspensions.set(suspension.path, suspension);
    draft.addSuspension(suspension);
    for (const execution of [...this.children.around(suspension.path), this.root])
      execution.tell(suspensionEvent(execution, suspension), draft);
  }

  /** The last words of this executionRun, when nothing is at work in it any more. */
  #closing(): Closing | undefined {
    if (this.#ending !== undefined) {
      const endedAt = this.now();
      this.root.end(this.#ending, this.commits.draft, endedAt);
      this.#released = { ...noRelease, status: this.#ending.status, endedAt };
      return { draft: undefined, release: undefined };
    }
    if (!this.scope.isQuiet) return undefined;

    const draft = new CommitDraft();
    if (this.#halt?.kind === 'suspend' && !this.#isSuspendedFromOutside) this.#suspendFromOutside(this.#halt.reason);
    draft.requestDone = this.#isSuspendedFromOutside;
    const isDraining = this.#mustGoOnElsewhere;
    const suspensions = this.waits.suspensions.values();
    const dueAt = isDraining ? 0 : this.waits.nextWakeAt;
    if (suspensions.length === 0 && dueAt === null) {
      this.fail(new HalyardError('internal', 'INTERNAL', 'the workflow waits for nothing'));
      return this.#closing();
    }
    if (!isDraining) this.#tellOfRest(suspensions, draft);
    const status = isDraining || suspensions.length === 0 ? 'running' : 'suspended';
    this.#released = { ...noRelease, status, suspensions, dueAt };
    return { draft, release: { dueAt, expectedSignals: this.#signals } };
  }

  /** Whether steps were stopped here that nothing holds: by the end of the process, or by a suspension that was answered already. */
  get #mustGoOnElsewhere(): boolean {
    return this.waits.hasHalted && (this.#halt?.kind === 'drain' || !this.waits.isHeld);
  }

  /** Goes with the commit that is about to be made. */
  #suspendFromOutside(reason: string): void {
    this.#isSuspendedFromOutside = true;
    const place = this.waits.isHeld ? undefined : this.waits.firstHalted();
    if (place !== undefined) this.#addSuspension({ ...place, kind: 'request', reason });
  }

  #tellOfRest(suspensions: readonly Suspension[], draft: CommitDraft): void {
    for (const execution of [this.root, ...this.children.live]) {
      const earliest = suspensions.find(({ path }) => execution.contains(path));
      if (earliest === undefined || execution.status !== 'running') continue;
      draft.setStatus(execution.id, 'suspended');
      draft.event(execution.id, suspendedResult(execution, earliest, this.now()));
    }
  }

  #stopped(reason: 'released' | 'fenced' | { readonly failed: unknown }): void {
    this.limits.clear();
    this.scope.close();
    for (const attempt of this.attempts) attempt.stop(new ScopeClosedSignal());
    if (reason === 'released') {
      const outcome: ReleasedRun = {
        kind: 'released',
        root: this.root,
        ending: this.#ending,
        ...this.#released,
      };
      const told = this.#callLastHooks(outcome);
      if (told === undefined) this.#end(outcome);
      else void told.then(() => this.#end(outcome));
    } else {
      this.#endSpans();
      this.#done.resolve({ kind: 'lost', cause: reason === 'fenced' ? undefined : reason.failed });
    }
  }

  #end(outcome: ReleasedRun): void {
    this.#endSpans(outcome.status, outcome.ending);
    this.#done.resolve(outcome);
  }

  #endSpans(status?: ExecutionStatus, ending?: Ending): void {
    const { suspensions, timers } = this.waits;
    this.spans?.end(status, ending, this.children.live, ({ path }) => {
      if (ending !== undefined || status === undefined) return 'dropped';
      if (suspensions.has(path)) return 'suspended';
      if (timers.has(path) || timers.has(retryPath(path))) return 'sleeping';
      if (this.#halt !== undefined) return 'halted';
      return status === 'suspended' ? 'suspended' : 'sleeping';
    });
  }

  #callLastHooks({ ending, suspensions }: ReleasedRun): void | Promise<void> {
    if (ending !== undefined) return callEndHooks(this.root, this.options.services.logger, ending);
    return suspensions.length === 0 ? undefined : this.#callSuspendHooks(suspensions);
  }

  async #callSuspendHooks(suspensions: readonly Suspension[]): Promise<void> {
    const { logger } = this.options.services;
    for (const execution of [...this.children.live, this.root]) {
      const suspension = suspensions.find(({ path }) => execution.contains(path));
      if (suspension !== undefined && execution.workflow.hooks.onSuspend !== undefined)
        await callWorkflowHook(execution, logger, 'onSuspend', copyJson(suspension));
    }
  }
}
