import type { Execution, Resumption, Suspension, Timer } from '@halyard/contracts';
import { toDecider, decisionPath, isBelow, isDecision } from '../../definition/place.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { StepRun } from '../step/step-run.ts';

/** A branch that waits at a step until one of these paths is woken. */
interface WaitingBranch {
  readonly run: StepRun;
  readonly paths: readonly string[];
  readonly wake: () => void;
}

/** The waits of the steps of one run of an execution, by path, and the branches that wait. */
export class Waits {
  readonly suspensions: Map<string, Suspension>;
  readonly resumptions: Map<string, Resumption>;
  readonly timers: Map<string, Timer>;
  readonly #branches = new Map<string, WaitingBranch>();
  #taken: { readonly resumption: Resumption; readonly path: string } | undefined;

  constructor({ resumptions, suspensions, timers }: Pick<Execution, 'suspensions' | 'resumptions' | 'timers'>) {
    this.suspensions = byPath(suspensions);
    this.resumptions = byPath(resumptions);
    this.timers = byPath(timers);
  }

  /** Whether the step at this path must wait: it is suspended, or its time has not come. */
  isPending(path: string, now: number): boolean {
    return this.suspensions.has(path) || this.#isAhead(path, now) || this.#isAhead(decisionPath(path, 'retry'), now);
  }

  get isEmpty(): boolean {
    return this.suspensions.size === 0 && this.resumptions.size === 0 && this.timers.size === 0;
  }

  /**
   * Whether the execution was suspended from outside and has not been resumed yet: no step may
   * continue.
   */
  get isSuspendedFromOutside(): boolean {
    return this.suspensions.size > 0 && this.suspensions.values().some(({ kind }) => kind === 'request');
  }

  /** The resume data after a suspension from outside: for the step that runs next. */
  get outsideResumption(): Resumption | undefined {
    if (this.resumptions.size === 0) return undefined;
    return this.resumptions.values().find(({ path }) => isDecision(path, 'request'));
  }

  /**
   * Gives the resumption after a suspension from outside to the step at this path, unless another
   * one has it.
   */
  takeOutsideResumption(path: string): Resumption | undefined {
    const resumption = this.outsideResumption;
    if (resumption === undefined) return undefined;
    if (this.#taken?.resumption !== resumption) this.#taken = { resumption, path };
    return this.#taken.path === path ? resumption : undefined;
  }

  /** The step that took it cannot use it: the next one may take it. */
  returnOutsideResumption(): void {
    this.#taken = undefined;
  }

  /** How many attempts of the step at this path have failed. */
  failuresOf(path: string): number {
    return this.timers.size === 0 ? 0 : (this.timers.get(decisionPath(path, 'retry'))?.attempts ?? 0);
  }

  /**
   * Resolves when one of these paths is woken. A waiting branch holds no timer and no listener; it
   * may be dropped.
   */
  wait(run: StepRun, paths: readonly string[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const branch = { run, paths, wake: resolve };
    for (const path of paths) this.#branches.set(path, branch);
    run.scope.leave();
    return promise;
  }

  /** Lets the branch that waits at this path, if any, check again whether it may continue. */
  wake(path: string): void {
    const branch = this.#branches.get(path);
    if (branch === undefined) return;
    for (const one of branch.paths) this.#branches.delete(one);
    branch.run.scope.enter();
    branch.wake();
  }

  addTimer(timer: Timer): Timer {
    this.timers.set(timer.path, timer);
    return timer;
  }

  wakeDue(now: number): void {
    for (const { path, wakeAt } of this.timers.values()) if (wakeAt <= now) this.wake(path);
  }

  /** The pending suspensions whose time is over. */
  expired(now: number): readonly Suspension[] {
    if (this.isSuspendedFromOutside) return [];
    return [...this.suspensions.values()].filter(
      ({ path }) => (this.timers.get(decisionPath(path, 'timeout'))?.wakeAt ?? Infinity) <= now,
    );
  }

  /**
   * Resume data arrived. It is ignored unless it belongs to the suspension that is pending at its
   * path.
   */
  answer(resumption: Resumption): void {
    const { path, suspensionId } = resumption;
    if (this.suspensions.get(path)?.id !== suspensionId) return;
    this.suspensions.delete(path);
    this.resumptions.set(path, resumption);
    this.wake(path);
  }

  /** Whether a branch was stopped at the boundary of a step, with nothing to wait for. */
  get hasStoppedBranch(): boolean {
    return this.#branches.values().some((branch) => !this.#isWaiting(branch));
  }

  /**
   * Where an execution that is suspended from outside will continue: at the first stopped branch,
   * else at the first one with only a timer.
   */
  outsideSuspensionPosition(): Pick<Suspension, 'path' | 'stepId' | 'stepIndex' | 'executionId'> | undefined {
    const branches = [...this.#branches.values()];
    const first =
      branches.find((branch) => !this.#isWaiting(branch)) ?? branches.find((branch) => !this.#isSuspended(branch));
    if (first === undefined) return undefined;
    const { execution, path, stepId, stepIndex } = first.run;
    return { path: outsidePath(path), stepId, stepIndex, executionId: execution.id };
  }

  /**
   * When the next branch wakes that waits for a point in time only, or the time of a suspension
   * ends; null when there is none.
   */
  get nextWakeAt(): number | null {
    if (this.isSuspendedFromOutside) return null;
    let next: number | null = null;
    for (const { path, wakeAt } of this.timers.values()) {
      const branch = this.#branches.get(path);
      if (branch === undefined) continue;
      const isOver = isDecision(path, 'timeout') ? !this.suspensions.has(toDecider(path)) : this.#isSuspended(branch);
      if (isOver) continue;
      if (next === null || wakeAt < next) next = wakeAt;
    }
    return next;
  }

  /** The paths with a suspension, a resumption or a timer. */
  get paths(): readonly string[] {
    return [...new Set([...this.suspensions.keys(), ...this.resumptions.keys(), ...this.timers.keys()])];
  }

  /** Deletes the wait of the step at this path. @returns whether there was one. */
  clearWait(path: string): boolean {
    const wasSuspended = this.suspensions.delete(path);
    const wasResumed = this.resumptions.delete(path);
    const wasTimed = this.timers.delete(path);
    return wasSuspended || wasResumed || wasTimed;
  }

  /** Deletes everything below a step. @returns the paths that were settled. */
  clearWaitsBelow(path: string): readonly string[] {
    for (const waiting of this.#branches.keys()) if (isBelow(waiting, path)) this.#branches.delete(waiting);
    return this.paths.filter((waiting) => isBelow(waiting, path) && this.clearWait(waiting));
  }

  #isAhead(path: string, now: number): boolean {
    const timer = this.timers.get(path);
    return timer !== undefined && timer.wakeAt > now;
  }

  #isWaiting({ paths }: WaitingBranch): boolean {
    return paths.some((path) => this.suspensions.has(path) || (this.timers.has(path) && !isDecision(path, 'timeout')));
  }

  #isSuspended({ paths }: WaitingBranch): boolean {
    return paths.some((path) => this.suspensions.has(path));
  }
}

/** Where an execution that is suspended from outside waits: at a step, or with `''` as a whole. */
export function outsidePath(path: string): string {
  return decisionPath(path, 'request');
}

/** Where an execution waits as a whole. Its next step is not known: the first one stands for it. */
export function rootPosition({
  id,
  workflow,
}: {
  readonly id: string;
  readonly workflow: WorkflowDefinition;
}): Pick<Suspension, 'path' | 'stepId' | 'stepIndex' | 'executionId'> {
  return { path: outsidePath(''), stepId: workflow.steps[0]?.id ?? workflow.id, stepIndex: 0, executionId: id };
}

/** The paths that can wake a step that waits at this path. */
export function listWakingPaths(path: string): readonly string[] {
  return [path, decisionPath(path, 'retry'), decisionPath(path, 'timeout')];
}

function byPath<Wait extends { readonly path: string }>(waits: readonly Wait[]): Map<string, Wait> {
  return new Map(waits.map((wait) => [wait.path, wait]));
}
