import type {
  ExecutionChange,
  ExecutionStatus,
  JournalEntry,
  JsonObject,
  NewExecutionEvent,
  Suspension,
  Timer,
} from '@halyard/contracts';
import { ScopeClosedSignal } from '../branches/control.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What changes in one execution, while it is being gathered. */
export interface DraftChange extends Writable<Omit<ExecutionChange, 'events'>> {
  readonly events: NewExecutionEvent[];
}

const none: readonly never[] = [];

/** What the next commit will write. Most drafts hold little: lists are made when there is something to put in them. */
export class CommitDraft {
  requestDone = false;
  #entries: JournalEntry[] | undefined;
  #changes: DraftChange[] | undefined;
  #settled: string[] | undefined;
  #suspensions: Suspension[] | undefined;
  #timers: Timer[] | undefined;
  #saved: PromiseWithResolvers<void> | undefined;

  /** What several drafts hold, in their order; they stay as they are. */
  static joined(drafts: readonly CommitDraft[]): CommitDraft {
    const whole = new CommitDraft();
    for (const draft of drafts) whole.#append(draft);
    return whole;
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries ?? none;
  }

  get changes(): readonly DraftChange[] {
    return this.#changes ?? none;
  }

  get settled(): readonly string[] {
    return this.#settled ?? none;
  }

  get suspensions(): readonly Suspension[] {
    return this.#suspensions ?? none;
  }

  get timers(): readonly Timer[] {
    return this.#timers ?? none;
  }

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

  /** Whether something waits to be written that other steps must not run without. */
  get isMomentous(): boolean {
    return this.entries.length > 0;
  }

  /** Resolves when it is written. */
  get saved(): Promise<void> {
    this.#saved ??= Promise.withResolvers<void>();
    return this.#saved.promise;
  }

  /** It was written, by itself or as a part of another. */
  written(): void {
    this.#saved?.resolve();
  }

  /** It will never be written. */
  dropped(): void {
    this.#saved?.reject(new ScopeClosedSignal());
  }

  addEntry(entry: JournalEntry): void {
    this.#entries = withOneMore(this.#entries, entry);
  }

  addSuspension(suspension: Suspension): void {
    this.#suspensions = withOneMore(this.#suspensions, suspension);
  }

  addTimer(timer: Timer): void {
    this.#timers = withOneMore(this.#timers, timer);
  }

  /** What a path waited for is over, that which this draft would have added included. */
  settle(path: string): void {
    this.#settled = withOneMore(this.#settled, path);
    this.#suspensions = this.#suspensions?.filter((one) => one.path !== path);
    this.#timers = this.#timers?.filter((one) => one.path !== path);
  }

  change(executionId: string): DraftChange {
    for (const change of this.changes) if (change.id === executionId) return change;
    return this.#addChange({ id: executionId, events: [] });
  }

  event(executionId: string, event: NewExecutionEvent): void {
    for (const change of this.changes) {
      if (change.id !== executionId) continue;
      change.events.push(event);
      return;
    }
    this.#addChange({ id: executionId, events: [event] });
  }

  patchState(executionId: string, patch: JsonObject): void {
    const change = this.change(executionId);
    change.statePatch = change.statePatch === undefined ? patch : { ...change.statePatch, ...patch };
  }

  setStatus(
    executionId: string,
    status: ExecutionStatus,
    result: Pick<ExecutionChange, 'output' | 'error'> = {},
  ): void {
    Object.assign(this.change(executionId), { status, ...result });
  }

  #addChange(change: DraftChange): DraftChange {
    this.#changes = withOneMore(this.#changes, change);
    return change;
  }

  #append(draft: CommitDraft): void {
    for (const entry of draft.entries) this.addEntry(entry);
    for (const path of draft.settled) this.settle(path);
    for (const suspension of draft.suspensions) this.addSuspension(suspension);
    for (const timer of draft.timers) this.addTimer(timer);
    this.requestDone ||= draft.requestDone;
    for (const { events, id, statePatch, ...fields } of draft.changes) {
      Object.assign(this.change(id), fields).events.push(...events);
      if (statePatch !== undefined) this.patchState(id, statePatch);
    }
  }
}

/** A list that is made with its first item takes no more room than that. */
function withOneMore<Item>(list: Item[] | undefined, item: Item): Item[] {
  if (list === undefined) return [item];
  list.push(item);
  return list;
}
