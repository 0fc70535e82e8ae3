import {
  type ClaimedExecution,
  DefinitionChangedError,
  type ExecutionRequest,
  type ExecutionStatus,
  HalyardError,
  type JournalEntry,
  TimeLimitError,
} from '@halyard/contracts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { RecordedRewinds } from '../../rewind/recorded-rewinds.ts';
import { ExecutionRunSpans, openStepOutcome } from '../../spans/execution-run-spans.ts';
import { ScopeClosedSignal } from '../branches/control-signals.ts';
import { Scope } from '../branches/scope.ts';
import { CommitDraft } from '../commits/commit-draft.ts';
import { CommitWriter, type FinalCommit } from '../commits/commit-writer.ts';
import { compensate, mustCompensate } from '../compensation/compensate.ts';
import { type CompensatedEnding, endingEntry, endingPath, recordedEnding } from '../compensation/recorded-ending.ts';
import type { Attempt } from '../step/attempt.ts';
import { endExpiredWaits } from '../waits/end-expired-waits.ts';
import { addSuspendedResults } from '../waits/suspension-report.ts';
import { WaitChanges } from '../waits/wait-changes.ts';
import { outsidePath, rootPosition, Waits } from '../waits/waits.ts';
import { checkDefinition } from './check-definition.ts';
import { Checkpoints } from './checkpoints.ts';
import { Children } from './children.ts';
import { type Ending, failedEnding } from './ending.ts';
import { executionLogger } from './execution-logger.ts';
import type { ClaimContext, ExecutionRunOptions } from './execution-run-options.ts';
import { callEndHooks, callSuspendHooks, callWorkflowHook } from './hooks.ts';
import { LiveExecution } from './live-execution.ts';
import { LoopRounds } from './loop-rounds.ts';
import { type ExecutionRunOutcome, planRelease, type ReleasedRun, type ReleaseState } from './release.ts';
import { runWorkflow } from './run-workflow.ts';
import type { StartedSteps } from './started-steps.ts';
import { TimeLimits } from './time-limits.ts';

const shuttingDown = 'the process is shutting down';

/**
 * One run of an execution in this process: from a claim until it ends, is suspended, sleeps, or is
 * lost to another process.
 *
 * Nothing outlives the run. Waiting branches hold no timer and no listener and are dropped with it.
 */
export class ExecutionRun {
  readonly root: LiveExecution;
  readonly epoch: number;
  /** The user or caller for whom it runs, and the executions that it starts. */
  readonly subject: string | undefined;
  readonly scope: Scope;
  /** The scope of the steps, which ends before they are undone. */
  readonly #steps: Scope;
  readonly waits: Waits;
  readonly waitChanges: WaitChanges = new WaitChanges(this);
  readonly journal: Map<string, JournalEntry>;
  readonly rounds: LoopRounds;
  readonly children: Children;
  readonly rewinds: RecordedRewinds;
  readonly commits: CommitWriter;
  readonly options: ExecutionRunOptions;
  readonly startedSteps: StartedSteps;
  /** The store's time, at the earliest: {@link StoreTime.now}. */
  readonly now: () => number;
  /** The store's time, at the latest: waits begin at it. */
  readonly latestNow: () => number;
  /** Bodies that are running now. */
  readonly attempts: Set<Attempt> = new Set();
  readonly limits: TimeLimits = new TimeLimits();
  /** Undefined when tracing is off. */
  readonly spans: ExecutionRunSpans | undefined;
  readonly #request: ExecutionRequest | null;
  readonly #outcome = Promise.withResolvers<ExecutionRunOutcome>();
  /** How many signals of the row it has read. With more there, the store refuses a release. */
  #signals: number;
  /**
   * Set while steps stop at their next boundary. A cancellation ends them at once, and is none of
   * these.
   */
  #stopRequest: { readonly kind: 'suspend' | 'drain'; readonly reason: string } | undefined;
  #isSuspendedFromOutside = false;
  #mustReadSignals = false;
  #hasLeft = false;
  /** No further step starts; finished ones may have to be undone. */
  #isEnding = false;
  /** Nothing is left to undo: the next commit writes it. */
  #ending: Ending | undefined;
  /** The state that the last commit of this run stores. */
  #release: ReleaseState & Pick<ReleasedRun, 'endedAt'> = {
    status: 'running',
    suspensions: [],
    dueAt: null,
    endedAt: null,
  };

  constructor(
    workflow: WorkflowDefinition,
    { children, execution, journal, subject }: ClaimedExecution,
    options: ExecutionRunOptions,
    { startedSteps, storeTime }: ClaimContext,
  ) {
    const { bus, commitRetry, store, traces, yieldToEventLoop } = options;
    this.startedSteps = startedSteps;
    this.now = storeTime.now;
    this.latestNow = storeTime.latest;
    this.options = options;
    this.epoch = execution.epoch;
    this.subject = subject;
    this.#request = execution.request;
    this.#signals = execution.signals;
    this.root = new LiveExecution(workflow, execution, startedSteps.get(execution.id) ?? new Set());
    this.spans = traces && new ExecutionRunSpans(traces, this.root, execution);
    this.children = new Children(children);
    this.journal = new Map(journal.map((entry) => [entry.path, entry]));
    this.rounds = new LoopRounds(this.journal);
    this.rewinds = new RecordedRewinds(execution.rewinds);
    this.waits = new Waits(execution);
    this.scope = new Scope(undefined, () => this.commits.flush());
    // Active from the start: the run must not be released before its first step.
    this.#steps = this.scope.open();
    this.#steps.enter();
    const checkpoints = new Checkpoints(this, options.checkpointAfter);
    this.commits = new CommitWriter({
      store,
      executionId: execution.id,
      creationId: execution.creationId,
      epoch: execution.epoch,
      seq: execution.seq,
      retry: commitRetry,
      yieldToEventLoop,
      finalCommit: () => this.#finalCommit(),
      checkpoint: () => checkpoints.next(),
      onCommitted: (draft, { childSeqs, seq, signals }) => {
        this.root.seq = seq;
        for (const { id } of draft.changes) this.children.committed(id, childSeqs?.[id]);
        bus.committed(execution, draft.changes, (id) => (id === execution.id ? seq : childSeqs?.[id]));
        if (signals !== this.#signals) void this.readSignals();
      },
      onSignalled: async () => {
        await this.readSignals();
      },
      onStopped: (reason) => void this.#leave(reason),
    });
  }

  /** Runs until the execution is released or lost. Never rejects. */
  async run(): Promise<ExecutionRunOutcome> {
    const { span, workflow } = this.root;
    const { timeoutMs } = workflow;
    if (timeoutMs !== undefined)
      this.limits.add(timeoutMs, () => this.fail(new TimeLimitError(`Workflow "${workflow.id}"`, timeoutMs)));
    if (this.#request !== null) this.#apply(this.#request);
    void endExpiredWaits(this);
    void (span === undefined ? this.#runSteps() : span.run(() => this.#runSteps()));
    return this.#outcome.promise;
  }

  /** Whether steps must stop at their next boundary. */
  get isStopping(): boolean {
    return this.#stopRequest !== undefined || this.waits.isSuspendedFromOutside;
  }

  /**
   * Reads the resume data and requests that others wrote to the row.
   *
   * @returns false when this run no longer has the execution, or the store failed.
   */
  async readSignals(): Promise<boolean> {
    const row = await this.options.store.find('anyone', this.root.id).catch(() => 'unknown' as const);
    this.#mustReadSignals = row === 'unknown';
    if (row === 'unknown') return false;
    if (row?.creationId !== this.root.creationId || row.epoch !== this.epoch) {
      this.fence();
      return false;
    }
    if (row.runner === null) return false;
    if (this.#ending !== undefined) return true;
    this.#signals = row.signals;
    for (const resumption of row.resumptions) this.waits.answer(resumption);
    if (row.request !== null) this.#apply(row.request);
    return true;
  }

  /** Called with each sweep: wakes steps that are due, and reads signals again if that failed. */
  catchUp(): void {
    if (this.#mustReadSignals) void this.readSignals();
    this.waits.wakeDue(this.now());
    void endExpiredWaits(this);
  }

  /** Lets running steps finish, then releases the execution for another process. */
  drain(): void {
    this.#stopSteps({ kind: 'drain', reason: shuttingDown });
  }

  /** Asks running steps to end soon. */
  interrupt(): void {
    for (const attempt of this.attempts) attempt.interrupt(shuttingDown);
  }

  /** The row has another runner, or none. A commit that is being written finds out for certain. */
  fence(): void {
    if (!this.commits.isWriting) this.lose(undefined);
  }

  /** Stops without writing anything more. Another process continues the execution. */
  lose(cause: unknown): void {
    this.commits.stop();
    void this.#leave({ failed: cause });
  }

  cancel(reason: string): void {
    this.#end({ status: 'cancelled', reason });
  }

  /** Ends the execution with an error. */
  fail(cause: unknown): void {
    if (this.#isEnding) return;
    executionLogger(this.options.services.logger, this.root).error({ err: cause }, 'a workflow failed');
    this.#end(failedEnding(this.root.workflow.id, cause));
  }

  /** Adds an entry to the journal, and deletes the waits of its step. */
  record(entry: JournalEntry): void {
    this.journal.set(entry.path, entry);
    this.rounds.add(entry);
    this.commits.draft.entries.push(entry);
    this.waitChanges.clearStepWaits(entry.path);
  }

  /**
   * Ends everything in a scope below a step: bodies, waits and sub-workflows. The branch that
   * continues must have entered its own scope.
   */
  closeBelow(path: string, scope: Scope, { keepsChildren = false }: { readonly keepsChildren?: boolean } = {}): void {
    scope.close();
    this.spans?.dropWithin(scope);
    for (const settled of this.waits.clearWaitsBelow(path)) this.commits.draft.clearWait(settled);
    for (const attempt of this.attempts) if (attempt.scope.isWithin(scope)) attempt.cancel(new ScopeClosedSignal());
    if (!keepsChildren) this.#cancelChildren(path, 'no longer needed');
  }

  async #runSteps(): Promise<void> {
    const ending = recordedEnding(this.journal);
    if (ending !== undefined) return this.#end(ending);
    try {
      checkDefinition(this.root.workflow, [...this.journal.values()], this.waits.paths);
      if (this.epoch === 1) await callWorkflowHook(this.root, this.options.services.logger, 'onStart');
      this.#end({ status: 'completed', output: await runWorkflow(this, this.root, this.#steps) });
    } catch (error) {
      if (error instanceof DefinitionChangedError) this.#suspendChanged(error.message);
      else if (!(error instanceof ScopeClosedSignal)) this.fail(error);
    }
  }

  /**
   * Waits for a process whose definition fits, and for somebody who resumes the execution there.
   */
  #suspendChanged(reason: string): void {
    executionLogger(this.options.services.logger, this.root).error(
      { reason },
      'an execution was suspended: its workflow has changed',
    );
    this.waitChanges.clearWait(outsidePath(''));
    this.waitChanges.addSuspension({ ...rootPosition(this.root), kind: 'request', reason });
    this.#steps.leave();
  }

  #apply({ kind, reason }: ExecutionRequest): void {
    if (kind === 'cancel') this.cancel(reason);
    else this.#stopSteps({ kind, reason });
  }

  /** Stops at the next boundary of each step. */
  #stopSteps(request: { readonly kind: 'suspend' | 'drain'; readonly reason: string }): void {
    if (this.#ending !== undefined || this.#stopRequest !== undefined) return;
    this.#stopRequest = request;
    if (request.kind === 'suspend') for (const attempt of this.attempts) attempt.interrupt(request.reason);
    this.commits.flush();
  }

  /** Ends the execution, once its finished steps are undone if it did not complete. */
  #end(wanted: Ending): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const ending = recordedEnding(this.journal) ?? wanted;
    if (ending.status === 'completed' || !mustCompensate(this)) this.#finish(ending);
    else void this.#compensate(ending);
  }

  async #compensate(ending: CompensatedEnding): Promise<void> {
    // From now on, the steps do not keep the execution active.
    this.scope.enter();
    if (!this.journal.has(endingPath)) {
      this.closeBelow('', this.#steps, { keepsChildren: true });
      this.record(endingEntry(ending, this.now()));
    }
    this.#steps.close();
    try {
      await compensate(this, '', this.scope);
      this.#finish(ending);
    } catch (error) {
      if (!(error instanceof ScopeClosedSignal)) this.lose(error);
    }
  }

  /** Lets the last commit write the ending. */
  #finish(ending: Ending): void {
    this.#ending = ending;
    this.#cancelAttempts();
    this.#cancelChildren('', ending.status === 'cancelled' ? ending.reason : 'its parent has ended');
    this.scope.close();
    this.commits.flush();
  }

  #cancelAttempts(): void {
    for (const attempt of this.attempts) attempt.cancel(new ScopeClosedSignal());
  }

  #cancelChildren(path: string, reason: string): void {
    const { logger } = this.options.services;
    for (const child of this.children.cancelBelow(path, reason, this.commits.draft, this.now())) {
      this.spans?.endChild(child);
      void callEndHooks(child, logger, { status: 'cancelled', reason });
    }
  }

  /** The last commit of this run, once the execution has ended or no branch is active. */
  #finalCommit(): FinalCommit | undefined {
    if (this.#ending !== undefined) {
      const endedAt = this.now();
      this.root.end(this.#ending, this.commits.draft, endedAt);
      this.#release = { status: this.#ending.status, suspensions: [], dueAt: null, endedAt };
      return { draft: undefined, release: undefined };
    }
    if (this.scope.isActive) return undefined;

    if (this.#stopRequest?.kind === 'suspend' && !this.#isSuspendedFromOutside)
      this.#suspendFromOutside(this.#stopRequest.reason);
    const release = planRelease(this.waits, { isDraining: this.#stopRequest?.kind === 'drain' });
    if (release === undefined) {
      const cause = new HalyardError('internal', 'INTERNAL', 'no branch of the workflow is active and none waits');
      this.#finish(failedEnding(this.root.workflow.id, cause));
      return this.#finalCommit();
    }
    const { dueAt, status, suspensions } = release;
    const draft = new CommitDraft();
    draft.requestDone = this.#isSuspendedFromOutside;
    if (status === 'suspended') addSuspendedResults([this.root, ...this.children.live], suspensions, draft, this.now());
    this.#release = { ...release, endedAt: null };
    return { draft, release: { dueAt, expectedSignals: this.#signals } };
  }

  /** Part of the commit that is about to be made. */
  #suspendFromOutside(reason: string): void {
    this.#isSuspendedFromOutside = true;
    const place = this.waits.isSuspendedFromOutside ? undefined : this.waits.outsideSuspensionPosition();
    if (place !== undefined) this.waitChanges.addSuspension({ ...place, kind: 'request', reason });
  }

  /** Ends this run: nothing more is written. */
  async #leave(reason: 'released' | 'fenced' | { readonly failed: unknown }): Promise<void> {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.limits.clear();
    this.scope.close();
    this.#cancelAttempts();
    if (reason !== 'released') {
      this.#endSpans();
      this.#outcome.resolve({ kind: 'lost', cause: reason === 'fenced' ? undefined : reason.failed });
      return;
    }
    const { logger } = this.options.services;
    const outcome: ReleasedRun = { kind: 'released', root: this.root, ending: this.#ending, ...this.#release };
    const { dueAt, ending, status, suspensions } = outcome;
    // The event may have been published before the wait was stored.
    if (suspensions.some(({ kind }) => kind === 'event')) this.options.onSleep(0);
    if (dueAt !== null) this.options.onSleep(dueAt - this.now());
    if (ending === undefined) await callSuspendHooks([...this.children.live, this.root], logger, suspensions);
    else await callEndHooks(this.root, logger, ending);
    this.#endSpans(status, ending);
    this.#outcome.resolve(outcome);
  }

  #endSpans(status?: ExecutionStatus, ending?: Ending): void {
    const isStopping = this.#stopRequest !== undefined;
    const hasEnded = ending !== undefined || status === undefined;
    this.spans?.end(status, ending, this.children.live, ({ path }) =>
      hasEnded ? 'dropped' : openStepOutcome(this.waits, path, { isStopping, status }),
    );
  }
}
