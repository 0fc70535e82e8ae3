import type {
  ExecutionChange,
  ExecutionStatus,
  JournalEntry,
  JsonObject,
  NewExecutionEvent,
  Suspension,
  Timer,
} from '@halyard/contracts';
import { ScopeClosedSignal } from '../branches/control-signals.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A change of one execution that is still being collected. */
export interface DraftChange extends Writable<Omit<ExecutionChange, 'events'>> {
  readonly events: NewExecutionEvent[];
}

/** The contents of the next commit. */
export class CommitDraft {
  readonly entries: JournalEntry[] = [];
  readonly changes: DraftChange[] = [];
  readonly settled: string[] = [];
  suspensions: Suspension[] = [];
  timers: Timer[] = [];
  requestDone = false;
  /** Undefined: nobody waits until this draft is saved. */
  #saved: PromiseWithResolvers<void> | undefined;

  get isEmpty(): boolean {
    return (
      this.entries.length === 0 &&
      this.changes.length === 0 &&
      this.settled.length === 0 &&
      this.suspensions.length === 0 &&
      this.timers.length === 0 &&
      !this.requestDone
    );
  }

  /** Resolves when the draft is stored. @throws ScopeClosedSignal when it will never be. */
  saved(): Promise<void> {
    this.#saved ??= Promise.withResolvers();
    return this.#saved.promise;
  }

  resolveSaved(): void {
    this.#saved?.resolve();
  }

  rejectSaved(): void {
    this.#saved?.reject(new ScopeClosedSignal());
  }

  /** Deletes the wait of a path, also if this draft was going to add it. */
  clearWait(path: string): void {
    this.settled.push(path);
    this.suspensions = this.suspensions.filter((one) => one.path !== path);
    this.timers = this.timers.filter((one) => one.path !== path);
  }

  change(executionId: string): DraftChange {
    const found = this.changes.find(({ id }) => id === executionId);
    if (found !== undefined) return found;
    const change: DraftChange = { id: executionId, events: [] };
    this.changes.push(change);
    return change;
  }

  addEvent(executionId: string, event: NewExecutionEvent): void {
    this.change(executionId).events.push(event);
  }

  patchState(executionId: string, patch: JsonObject): void {
    const change = this.change(executionId);
    change.statePatch = { ...change.statePatch, ...patch };
  }

  setStatus(
    executionId: string,
    status: ExecutionStatus,
    result: Pick<ExecutionChange, 'output' | 'error'> = {},
  ): void {
    Object.assign(this.change(executionId), { status, ...result });
  }

  /** A new draft with the content of this one and a later one. Both stay as they are. */
  joinedWith(later: CommitDraft): CommitDraft {
    const whole = new CommitDraft();
    whole.#append(this);
    whole.#append(later);
    return whole;
  }

  /** Adds a later draft, and those who wait for it. */
  absorb(later: CommitDraft): void {
    this.#append(later);
    later.#saved?.resolve(this.saved());
  }

  #append(later: CommitDraft): void {
    // One turn may write more items than a call has arguments, so nothing is spread.
    for (const entry of later.entries) this.entries.push(entry);
    for (const path of later.settled) this.clearWait(path);
    for (const suspension of later.suspensions) this.suspensions.push(suspension);
    for (const timer of later.timers) this.timers.push(timer);
    this.requestDone ||= later.requestDone;
    for (const { events, id, statePatch, ...fields } of later.changes) {
      const change = Object.assign(this.change(id), fields);
      for (const event of events) change.events.push(event);
      if (statePatch !== undefined) this.patchState(id, statePatch);
    }
  }
}
