import type { Execution, Resumption, Suspension, Timer } from '@halyard/contracts';
import { SparseMap } from '../run/sparse-map.ts';
import type { StepRun } from '../step/step-run.ts';

interface Parked {
  readonly run: StepRun;
  readonly paths: readonly string[];
  readonly resume: () => void;
}

/** What the steps of one executionRun wait for, by path, and the strands that do. */
export class Waits {
  readonly suspensions: SparseMap<string, Suspension>;
  readonly resumptions: SparseMap<string, Resumption>;
  readonly timers: SparseMap<string, Timer>;
  readonly #parked = new SparseMap<string, Parked>();

  constructor({ resumptions, suspensions, timers }: Pick<Execution, 'suspensions' | 'resumptions' | 'timers'>) {
    this.suspensions = byPath(suspensions);
    this.resumptions = byPath(resumptions);
    this.timers = byPath(timers);
  }

  /** Whether the step at this path cannot go on yet. */
  holds(path: string, clock: { now(): number }): boolean {
    if (this.suspensions.has(path)) return true;
    if (this.timers.size === 0) return false;
    const now = clock.now();
    return isAhead(this.timers.get(path), now) || isAhead(this.timers.get(retryPath(path)), now);
  }

  /** Whether somebody has suspended it all from outside: nothing goes on until that is answered. */
  get isHeld(): boolean {
    if (this.suspensions.size === 0) return false;
    return this.suspensions.values().some(({ kind }) => kind === 'request');
  }

  /** How often the step at this path has failed so far. */
  failuresOf(path: string): number {
    return this.timers.size === 0 ? 0 : (this.timers.get(retryPath(path))?.attempts ?? 0);
  }

  /** What it was resumed with after it was suspended from outside: for the step that runs next. */
  get handedOn(): Resumption | undefined {
    if (this.resumptions.size === 0) return undefined;
    return this.resumptions.values().find(({ path }) => path.endsWith(request));
  }

  /** The strand waits until one of these paths is woken: it holds nothing, and may be dropped. */
  park(run: StepRun, paths: readonly string[] = [run.path, retryPath(run.path)]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const parked = { run, paths, resume: resolve };
    for (const path of paths) this.#parked.set(path, parked);
    run.scope.leave();
    return promise;
  }

  /** The strand that waits at this path, if there is one, looks again whether it can go on. */
  wake(path: string): void {
    const parked = this.#parked.get(path);
    if (parked === undefined) return;
    for (const one of parked.paths) this.#parked.delete(one);
    parked.run.scope.enter();
    parked.resume();
  }

  /** Whether a strand waits for nothing of its own: it was stopped at the boundary of a step. */
  get hasHalted(): boolean {
    return this.#parked.values().some((parked) => !this.#waits(parked));
  }

  /** Where an execution that is suspended from outside goes on: the first strand that was stopped, else the first that waits. */
  firstHalted(): Pick<Suspension, 'path' | 'stepId' | 'stepIndex' | 'executionId'> | undefined {
    const all = this.#parked.values();
    const first = all.find((parked) => !this.#waits(parked)) ?? all.find((parked) => !this.#isSuspended(parked));
    if (first === undefined) return undefined;
    const { execution, path, stepId, stepIndex } = first.run;
    return { path: `${path}${request}`, stepId, stepIndex, executionId: execution.id };
  }

  /** An answer came in. @returns whether it was for what waits here now. */
  answer(resumption: Resumption): boolean {
    const { path, suspensionId } = resumption;
    if (this.suspensions.get(path)?.id !== suspensionId) return false;
    this.suspensions.delete(path);
    this.resumptions.set(path, resumption);
    this.wake(path);
    return true;
  }

  wakeDue(now: number): void {
    for (const { path, wakeAt } of this.timers.values()) if (wakeAt <= now) this.wake(path);
  }

  /** When the next strand wakes that waits for a point in time only. */
  get nextWakeAt(): number | null {
    if (this.isHeld) return null;
    let next: number | null = null;
    for (const { path, wakeAt } of this.timers.values()) {
      const parked = this.#parked.get(path);
      if (parked === undefined || this.#isSuspended(parked)) continue;
      if (next === null || wakeAt < next) next = wakeAt;
    }
    return next;
  }

  /** Where steps wait, or have been answered. */
  get paths(): readonly string[] {
    return [...new Set([...this.suspensions.keys(), ...this.resumptions.keys(), ...this.timers.keys()])];
  }

  /** Forgets what this path waited for. @returns whether it did. */
  settle(path: string): boolean {
    if (this.suspensions.size + this.resumptions.size + this.timers.size === 0) return false;
    const had = [this.suspensions.delete(path), this.resumptions.delete(path), this.timers.delete(path)];
    return had.includes(true);
  }

  /** Forgets everything below a step. @returns the paths that waited. */
  settleBelow(path: string): readonly string[] {
    for (const parked of this.#parked.keys()) if (isBelow(parked, path)) this.#parked.delete(parked);
    return this.paths.filter((waits) => isBelow(waits, path) && this.settle(waits));
  }

  #waits({ paths }: Parked): boolean {
    return paths.some((path) => this.suspensions.has(path) || this.timers.has(path));
  }

  #isSuspended({ paths }: Parked): boolean {
    return paths.some((path) => this.suspensions.has(path));
  }
}

/** Where an execution waits that was suspended from outside: beside the sleep or the next try that its step may wait for. */
const request = '#request';

/** Where a step waits before its next try: beside what it was resumed with, which that try needs as well. */
export function retryPath(path: string): string {
  return `${path}#retry`;
}

function isAhead(timer: Timer | undefined, now: number): boolean {
  return timer !== undefined && timer.wakeAt > now;
}

/** Whether a path belongs to the inside of a step: its inner steps, its loop's items, its decisions. */
export function isBelow(path: string, step: string): boolean {
  if (!path.startsWith(step)) return false;
  const next = path.charAt(step.length);
  return next === '/' || next === ':' || next === '#' || (step === '' && next !== '');
}

function byPath<Wait extends { readonly path: string }>(waits: readonly Wait[]): SparseMap<string, Wait> {
  const map = new SparseMap<string, Wait>();
  for (const wait of waits) map.set(wait.path, wait);
  return map;
}
