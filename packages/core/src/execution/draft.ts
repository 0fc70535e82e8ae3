import type {
  ExecutionChange,
  ExecutionStatus,
  JournalEntry,
  JsonObject,
  NewExecutionEvent,
  Suspension,
  Timer,
} from '@halyard/contracts';
import { ScopeClosedSignal } from './control.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What changes in one execution, while it is being gathered. */
export interface DraftChange extends Writable<Omit<ExecutionChange, 'events'>> {
  readonly events: NewExecutionEvent[];
}

/** What the next commit will write. */
export class Draft {
  readonly entries: JournalEntry[] = [];
  readonly changes: DraftChange[] = [];
  readonly settled: string[] = [];
  suspensions: Suspension[] = [];
  timers: Timer[] = [];
  requestDone = false;
  #saved: PromiseWithResolvers<void> | undefined;

  /** What several drafts hold, in their order; they stay as they are. */
  static joined(drafts: readonly Draft[]): Draft {
    const whole = new Draft();
    for (const draft of drafts) whole.#append(draft);
    return whole;
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

  /** What a path waited for is over, that which this draft would have added included. */
  settle(path: string): void {
    this.settled.push(path);
    if (this.suspensions.length > 0) this.suspensions = this.suspensions.filter((one) => one.path !== path);
    if (this.timers.length > 0) this.timers = this.timers.filter((one) => one.path !== path);
  }

  change(executionId: string): DraftChange {
    for (const change of this.changes) if (change.id === executionId) return change;
    const change: DraftChange = { id: executionId, events: [] };
    this.changes.push(change);
    return change;
  }

  event(executionId: string, event: NewExecutionEvent): void {
    this.change(executionId).events.push(event);
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

  #append(draft: Draft): void {
    this.entries.push(...draft.entries);
    for (const path of draft.settled) this.settle(path);
    this.suspensions.push(...draft.suspensions);
    this.timers.push(...draft.timers);
    this.requestDone ||= draft.requestDone;
    for (const { events, id, statePatch, ...fields } of draft.changes) {
      Object.assign(this.change(id), fields).events.push(...events);
      if (statePatch !== undefined) this.patchState(id, statePatch);
    }
  }
}
