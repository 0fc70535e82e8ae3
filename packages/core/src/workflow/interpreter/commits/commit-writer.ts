import type { Checkpoint, Commit, CommitOutcome, ExecutionLog, Logger, Release } from '@halyard/contracts';
import { ScopeClosedSignal } from '../branches/control-signals.ts';
import { CommitDraft } from './commit-draft.ts';

const maxTries = 20;

/** The additions of a run's last commit. */
export interface FinalCommit {
  /**
   * Added to the collected changes. Dropped again when the store refuses the release because
   * signals arrived.
   */
  readonly draft: CommitDraft | undefined;
  /** Absent when the execution has ended: no signal can arrive any more. */
  readonly release: Release | undefined;
}

/** How a failed commit is retried. */
export interface CommitRetryOptions {
  readonly logger: Logger;
  /** Retries stop before the lease can run out. */
  readonly leaseMs: number;
  /** Wait before the first retry; doubled for each further one. */
  readonly commitRetryMs: number;
  readonly delay: (ms: number) => Promise<void>;
}

export interface CommitWriterOptions {
  readonly store: ExecutionLog;
  readonly executionId: string;
  readonly creationId: string;
  readonly epoch: number;
  readonly seq: number;
  readonly retry: CommitRetryOptions;
  /** The last commit of this run, once no branch is active. Called before each commit. */
  readonly finalCommit: () => FinalCommit | undefined;
  /**
   * The checkpoint for a commit that is not the end of the execution. Called when the commit is
   * made.
   */
  readonly checkpoint: () => Checkpoint | undefined;
  readonly onCommitted: (draft: CommitDraft, outcome: Extract<CommitOutcome, { status: 'committed' }>) => void;
  /** The release was refused because signals arrived; resolves when they were read. */
  readonly onSignalled: () => Promise<void>;
  /**
   * No commit follows: the run released the execution, was fenced, or the store failed for too
   * long.
   */
  readonly onStopped: (reason: 'released' | 'fenced' | { readonly failed: unknown }) => void;
  /** Awaited after each commit that is not the last. */
  readonly yieldToEventLoop: () => Promise<void>;
}

/**
 * The only writer of an execution. All branches write to one draft, and whatever it contains is one
 * commit: the end of a step and the start of the next are stored together.
 */
export class CommitWriter {
  readonly #options: CommitWriterOptions;
  #seq: number;
  #commits = 0;
  #draft = new CommitDraft();
  #writing: CommitDraft | undefined;
  #isRunning = false;
  #isRequested = false;
  #isScheduled = false;
  #isStopped = false;

  constructor(options: CommitWriterOptions) {
    this.#options = options;
    this.#seq = options.seq;
  }

  /**
   * The draft of the next commit. It is written when all branches that can continue now have done
   * so, or on {@link flush}.
   */
  get draft(): CommitDraft {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      process.nextTick(() => {
        this.#isScheduled = false;
        this.flush();
      });
    }
    return this.#draft;
  }

  /**
   * Whether journal entries are not stored yet. Steps must not run before the steps ahead of them
   * are stored.
   */
  hasUnsavedEntries(): boolean {
    return this.#draft.entries.length > 0 || (this.#writing !== undefined && this.#writing.entries.length > 0);
  }

  /**
   * Resolves when all entries recorded so far are stored. @throws ScopeClosedSignal when they will
   * not be.
   */
  saved(): Promise<void> {
    if (this.#isStopped) return Promise.reject(new ScopeClosedSignal());
    if (this.#draft.entries.length === 0) return this.#writing?.saved() ?? Promise.resolve();
    const saved = this.#draft.saved();
    this.flush();
    return saved;
  }

  /** Whether a commit is being written: its outcome will show whether this run was fenced. */
  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  /** Writes the draft now, or releases the execution when no branch is active. */
  flush(): void {
    this.#isRequested = true;
    if (!this.#isRunning) void this.#run();
  }

  /** Nothing more is written. */
  stop(): void {
    this.#isStopped = true;
    this.#writing?.rejectSaved();
    this.#draft.rejectSaved();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isRequested && !this.#isStopped) {
      this.#isRequested = false;
      const final = this.#options.finalCommit();
      if (final !== undefined || !this.#draft.isEmpty) await this.#write(final);
    }
    this.#isRunning = false;
  }

  async #write(final: FinalCommit | undefined): Promise<void> {
    const draft = this.#draft;
    this.#draft = new CommitDraft();
    this.#writing = draft;
    const whole = final?.draft === undefined ? draft : draft.joinedWith(final.draft);
    const outcome = await this.#send(this.#buildCommit(whole, final));
    if (outcome === undefined || this.#isStopped) return;
    if (outcome.status === 'fenced') {
      this.#end('fenced');
      return;
    }
    this.#writing = undefined;
    this.#isRequested = true;
    if (outcome.status === 'signalled') {
      draft.absorb(this.#draft);
      this.#draft = draft;
      await this.#options.onSignalled();
      return;
    }
    this.#seq = outcome.seq;
    this.#options.onCommitted(whole, outcome);
    draft.resolveSaved();
    if (final === undefined) await this.#options.yieldToEventLoop();
    else this.#end('released');
  }

  #buildCommit(draft: CommitDraft, final: FinalCommit | undefined): Commit {
    const { creationId, epoch, executionId } = this.#options;
    const release = final?.release;
    const isEnd = final !== undefined && release === undefined;
    const checkpoint = isEnd ? undefined : this.#options.checkpoint();
    const { changes, entries, requestDone, settled, suspensions, timers } = draft;
    this.#commits += 1;
    return {
      executionId,
      creationId,
      epoch,
      commitId: `${epoch}.${this.#commits}`,
      expectedSeq: this.#seq,
      entries,
      changes,
      settled,
      suspensions,
      timers,
      ...(requestDone && { requestDone }),
      ...(checkpoint !== undefined && { checkpoint }),
      ...(release !== undefined && { release }),
    };
  }

  /**
   * Retries a failed commit with the same id, so that the store writes it only once. @returns
   * undefined when the writer was stopped.
   */
  async #send(commit: Commit): Promise<CommitOutcome | undefined> {
    for (let tries = 1; !this.#isStopped; tries += 1) {
      try {
        return await this.#options.store.commit(commit);
      } catch (error) {
        if (!this.#isStopped && !(await this.#waitBeforeRetry(tries, error))) this.#end({ failed: error });
      }
    }
    return undefined;
  }

  /** @returns false when the commit is not retried any more. */
  async #waitBeforeRetry(tries: number, error: unknown): Promise<boolean> {
    const { executionId, retry } = this.#options;
    const { commitRetryMs, delay, leaseMs, logger } = retry;
    const waitMs = commitRetryMs * 2 ** (tries - 1);
    if (waitMs * 2 > leaseMs || tries > maxTries) return false;
    logger.warn({ err: error, executionId, tries }, 'a commit failed and is retried');
    await delay(waitMs);
    return true;
  }

  #end(reason: Parameters<CommitWriterOptions['onStopped']>[0]): void {
    this.stop();
    this.#options.onStopped(reason);
  }
}
