import type { Commit, CommitOutcome, ExecutionStore, Release } from '@halyard/contracts';
import { ScopeClosedSignal } from '../branches/control.ts';
import { CommitDraft } from './commit-draft.ts';

/** What goes with a commit that ends an executionRun. */
export interface Closing {
  /** Its last words, where they may have to be taken back. */
  readonly draft: CommitDraft | undefined;
  /** Absent where the execution has ended: nothing can come in any more. */
  readonly release: Release | undefined;
}

export interface CommitWriterOptions {
  readonly store: ExecutionStore;
  readonly executionId: string;
  readonly epoch: number;
  readonly seq: number;
  /** The last commit of this executionRun, if nothing is at work any more. Asked before each commit. */
  readonly closing: () => Closing | undefined;
  readonly onCommitted: (draft: CommitDraft, outcome: Extract<CommitOutcome, { status: 'committed' }>) => void;
  /** Signals came in: look at the row. */
  readonly onSignalled: () => Promise<void>;
  /** No commit follows: the executionRun let go, or was fenced, or the store failed for too long. */
  readonly onStopped: (reason: 'released' | 'fenced' | { readonly failed: unknown }) => void;
  readonly atTurnEnd: (work: () => void) => void;
  /** A promise when other work of the process should have its turn. */
  readonly breathe: () => Promise<void> | undefined;
  /** Waits before the next try of a commit that the store failed; false when there is none. */
  readonly retry: (tries: number, error: unknown) => Promise<boolean>;
}

/**
 * The one writer of an execution. Strands put what they did into a draft; what has gathered is one commit: the end of a step and the
 * start of the next share it.
 */
export class CommitWriter {
  readonly #options: CommitWriterOptions;
  #seq: number;
  #commits = 0;
  #draft = new CommitDraft();
  #writing: CommitDraft | undefined;
  #isFlushing = false;
  #isWanted = false;
  #isScheduled = false;
  #isStopped = false;

  constructor(options: CommitWriterOptions) {
    this.#options = options;
    this.#seq = options.seq;
  }

  /** Where to put what happened. It is written soon, or when somebody waits for it. */
  get draft(): CommitDraft {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      this.#options.atTurnEnd(this.#onTick);
    }
    return this.#draft;
  }

  /** A promise while steps have finished that are not recorded yet: it resolves when all of them are. @throws ScopeClosedSignal when they will not be. */
  saved(): Promise<void> | undefined {
    if (this.#isStopped) throw new ScopeClosedSignal();
    if (this.#draft.isMomentous) {
      const { saved } = this.#draft;
      this.flush();
      return saved;
    }
    return this.#writing?.isMomentous === true ? this.#writing.saved : undefined;
  }

  /** Whether a commit is on its way: its answer will tell whether it was fenced. */
  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  /** Writes what has gathered, and lets go if nothing is at work. */
  flush(): void {
    // Who asks while a write is being looked for, and found needless, must not be forgotten.
    this.#isWanted = true;
    if (!this.#isFlushing) this.#writeNext();
  }

  stop(): void {
    this.#isStopped = true;
    for (const draft of [this.#writing, this.#draft]) draft?.dropped();
  }

  readonly #onTick = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  /** Called again when the store has answered, until nobody wants anything. Not an async function: there is one commit for each step. */
  #writeNext(): void {
    this.#isFlushing = true;
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false;
      const closing = this.#options.closing();
      if (closing === undefined && this.#draft.isEmpty) continue;
      this.#send(this.#take(closing), closing);
      return;
    }
    this.#isFlushing = false;
  }

  #send(whole: CommitDraft, closing: Closing | undefined): void {
    const commit = this.#commitOf(whole, closing?.release);
    const goOn = (outcome: CommitOutcome | undefined): void => this.#goOn(whole, closing, outcome);
    const sendAgain = async (failure: unknown): Promise<void> => goOn(await this.#sendAgain(commit, failure));
    try {
      void this.#options.store.commit(commit).then(goOn, sendAgain);
    } catch (error) {
      void sendAgain(error);
    }
  }

  #goOn(whole: CommitDraft, closing: Closing | undefined, outcome: CommitOutcome | undefined): void {
    if (this.#isStopped || outcome === undefined) {
      this.#isFlushing = false;
      return;
    }
    const turn = this.#answered(whole, closing, outcome);
    if (turn === undefined) this.#writeNext();
    else void turn.then(() => this.#writeNext());
  }

  /** What is written next. The draft itself stays as it is: it may have to be written without the words that end the executionRun. */
  #take(closing: Closing | undefined): CommitDraft {
    const draft = this.#draft;
    this.#draft = new CommitDraft();
    this.#writing = draft;
    return closing?.draft === undefined ? draft : CommitDraft.joined([draft, closing.draft]);
  }

  /** @returns a promise when something has to happen before the next write. */
  #answered(whole: CommitDraft, closing: Closing | undefined, outcome: CommitOutcome): Promise<void> | undefined {
    if (outcome.status === 'fenced') {
      this.#end('fenced');
      return undefined;
    }
    const draft = this.#writing;
    this.#writing = undefined;
    this.#isWanted = true;
    if (outcome.status === 'signalled') {
      if (draft !== undefined) this.#takeBack(draft);
      return this.#options.onSignalled();
    }
    this.#seq = outcome.seq;
    this.#options.onCommitted(whole, outcome);
    draft?.written();
    if (closing === undefined) return this.#options.breathe();
    this.#end('released');
    return undefined;
  }

  #takeBack(draft: CommitDraft): void {
    const later = this.#draft;
    this.#draft = CommitDraft.joined([draft, later]);
    this.#draft.saved.then(
      () => {
        draft.written();
        later.written();
      },
      () => {
        draft.dropped();
        later.dropped();
      },
    );
  }

  #commitOf(draft: CommitDraft, release: Release | undefined): Commit {
    const { epoch, executionId } = this.#options;
    const { changes, entries, requestDone, settled, suspensions, timers } = draft;
    this.#commits += 1;
    const commit: Commit = {
      executionId,
      epoch,
      commitId: `${epoch}.${this.#commits}`,
      expectedSeq: this.#seq,
      entries,
      changes,
      settled,
      suspensions,
      timers,
    };
    return requestDone || release !== undefined
      ? { ...commit, ...(requestDone && { requestDone }), ...(release && { release }) }
      : commit;
  }

  /** A commit whose answer was lost is sent again under its own id, so that it is written once. */
  async #sendAgain(commit: Commit, failure: unknown): Promise<CommitOutcome | undefined> {
    let error = failure;
    for (let tries = 1; !this.#isStopped; tries += 1) {
      if (!(await this.#options.retry(tries, error))) {
        this.#end({ failed: error });
        break;
      }
      try {
        return await this.#options.store.commit(commit);
      } catch (another) {
        error = another;
      }
    }
    return undefined;
  }

  #end(reason: Parameters<CommitWriterOptions['onStopped']>[0]): void {
    this.stop();
    this.#options.onStopped(reason);
  }
}
