/** Limits of one process for a workflow. */
export interface WorkflowLimits {
  /** How many of its executions run at a time. Default: the queue's `concurrency`. */
  readonly concurrency?: number;
  /** How many of its executions start or continue in a time window. Default: no limit. */
  readonly rateLimit?: RateLimit;
}

export interface RateLimit {
  readonly max: number;
  readonly windowMs: number;
}

export interface SlotsOptions {
  readonly concurrency: number;
  readonly workflows: Readonly<Record<string, WorkflowLimits>>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** The slots of a process for running executions, in total and for each workflow with limits. */
export class Slots {
  readonly #options: SlotsOptions;
  readonly #limits: ReadonlyMap<string, WorkflowLimits>;
  #taken = 0;
  readonly #takenByWorkflow = new Map<string, number>();
  /** When executions of a rate-limited workflow started, the oldest first. */
  readonly #starts = new Map<string, number[]>();

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#limits = new Map(Object.entries(options.workflows));
  }

  /** How many executions of a workflow can start now. */
  freeFor(workflowId: string): number {
    return Math.min(this.#options.concurrency - this.#taken, this.freeWithinOwnLimits(workflowId));
  }

  /** How many executions of a workflow could start now if the total were not limited. */
  freeWithinOwnLimits(workflowId: string): number {
    const limits = this.#limits.get(workflowId);
    if (limits === undefined) return Infinity;
    const { concurrency = Infinity, rateLimit } = limits;
    const free = concurrency - (this.#takenByWorkflow.get(workflowId) ?? 0);
    if (rateLimit === undefined) return free;
    return Math.min(free, rateLimit.max - this.#recentStarts(workflowId, rateLimit).length);
  }

  take(workflowId: string, count: number): void {
    this.#taken += count;
    const limits = this.#limits.get(workflowId);
    if (limits === undefined) return;
    this.#takenByWorkflow.set(workflowId, (this.#takenByWorkflow.get(workflowId) ?? 0) + count);
    const { rateLimit } = limits;
    if (rateLimit === undefined) return;
    const recent = this.#recentStarts(workflowId, rateLimit);
    for (let index = 0; index < count; index += 1) recent.push(this.#options.now());
  }

  /** Frees the slot of an execution that has stopped running. */
  release(workflowId: string): void {
    this.#free(workflowId, 1);
  }

  /** Returns slots in which nothing has run. They do not count towards the rate limit. */
  giveBack(workflowId: string, count: number): void {
    this.#free(workflowId, count);
    this.#starts.get(workflowId)?.splice(-count, count);
  }

  /** Milliseconds until the rate limit allows another start. Undefined when it allows one now, or there is no rate limit. */
  rateWaitMs(workflowId: string): number | undefined {
    const rateLimit = this.#limits.get(workflowId)?.rateLimit;
    if (rateLimit === undefined) return undefined;
    const recent = this.#recentStarts(workflowId, rateLimit);
    const oldest = recent.at(-rateLimit.max);
    return oldest === undefined ? undefined : oldest + rateLimit.windowMs - this.#options.now();
  }

  #free(workflowId: string, count: number): void {
    if (count === 0) return;
    this.#taken -= count;
    const taken = this.#takenByWorkflow.get(workflowId);
    if (taken !== undefined) this.#takenByWorkflow.set(workflowId, taken - count);
  }

  #recentStarts(workflowId: string, { windowMs }: RateLimit): number[] {
    const since = this.#options.now() - windowMs;
    const recent = (this.#starts.get(workflowId) ?? []).filter((at) => at > since);
    this.#starts.set(workflowId, recent);
    return recent;
  }
}
