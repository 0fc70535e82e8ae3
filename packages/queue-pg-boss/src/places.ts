/** How much of one workflow a process takes. */
export interface WorkflowLimits {
  /** Executions of it that run at a time. Default: as many as run in all. */
  readonly concurrency?: number;
  /** How many of its executions begin, or go on, in a time. Default: as many as like. */
  readonly rateLimit?: RateLimit;
}

export interface RateLimit {
  readonly max: number;
  readonly windowMs: number;
}

export interface PlacesOptions {
  readonly concurrency: number;
  readonly workflows: Readonly<Record<string, WorkflowLimits>>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** The places of a process, in all and of each workflow. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #limits: ReadonlyMap<string, WorkflowLimits>;
  #taken = 0;
  readonly #takenOf = new Map<string, number>();
  /** When the last ones of a limited workflow began; the oldest first. */
  readonly #begun = new Map<string, number[]>();

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#limits = new Map(Object.entries(options.workflows));
  }

  /** How many of a workflow could begin now. */
  freeFor(workflowId: string): number {
    return Math.min(this.#options.concurrency - this.#taken, this.ownFreeFor(workflowId));
  }

  /** How many of a workflow could begin now if others took no places. */
  ownFreeFor(workflowId: string): number {
    const limits = this.#limits.get(workflowId);
    if (limits === undefined) return Infinity;
    const { concurrency = Infinity, rateLimit } = limits;
    const free = concurrency - (this.#takenOf.get(workflowId) ?? 0);
    if (rateLimit === undefined) return free;
    return Math.min(free, rateLimit.max - this.#recent(workflowId, rateLimit).length);
  }

  take(workflowId: string, count: number): void {
    this.#taken += count;
    const limits = this.#limits.get(workflowId);
    if (limits === undefined) return;
    this.#takenOf.set(workflowId, (this.#takenOf.get(workflowId) ?? 0) + count);
    const { rateLimit } = limits;
    if (rateLimit === undefined) return;
    const recent = this.#recent(workflowId, rateLimit);
    for (let index = 0; index < count; index += 1) recent.push(this.#options.now());
  }

  /** One that ran does no longer. */
  leave(workflowId: string): void {
    this.#give(workflowId, 1);
  }

  /** Places that were taken and not used. */
  giveBack(workflowId: string, count: number): void {
    this.#give(workflowId, count);
    this.#begun.get(workflowId)?.splice(-count, count);
  }

  /** Milliseconds until its rate lets another one of a workflow begin; undefined when it does now, or there is none. */
  rateWaitMs(workflowId: string): number | undefined {
    const rateLimit = this.#limits.get(workflowId)?.rateLimit;
    if (rateLimit === undefined) return undefined;
    const recent = this.#recent(workflowId, rateLimit);
    const oldest = recent.at(-rateLimit.max);
    return oldest === undefined ? undefined : oldest + rateLimit.windowMs - this.#options.now();
  }

  #give(workflowId: string, count: number): void {
    if (count === 0) return;
    this.#taken -= count;
    const taken = this.#takenOf.get(workflowId);
    if (taken !== undefined) this.#takenOf.set(workflowId, taken - count);
  }

  #recent(workflowId: string, { windowMs }: RateLimit): number[] {
    const since = this.#options.now() - windowMs;
    const begun = this.#begun.get(workflowId) ?? [];
    const recent = (begun[0] ?? Infinity) > since ? begun : begun.filter((at) => at > since);
    this.#begun.set(workflowId, recent);
    return recent;
  }
}
