import { type ExecutionHost, type ExhaustedExecution, type Job, UnavailableError } from '@halyard/contracts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { LocalExecution } from './local-execution.ts';
import { quarantinedAfter, quarantineExecution, type QuarantineDependencies } from './quarantine-execution.ts';

interface DeliveredRunsOptions extends QuarantineDependencies {
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly freeSlots: () => number;
  readonly isClosing: () => boolean;
  /** Claims the execution and runs it. @returns whether it was released. Never rejects. */
  readonly occupySlot: (workflowId: string, executionId: string, local: LocalExecution) => Promise<boolean>;
}

/** Enough to fill the slots that become free before more is delivered. */
const mostWaiting = 32;

/** Runs what an engine delivers to this process, as soon as a slot is free. */
export class DeliveredRuns implements ExecutionHost {
  readonly maxClaims: number = quarantinedAfter;
  readonly #options: DeliveredRunsOptions;
  readonly #running = new Map<string, { readonly local: LocalExecution; readonly ended: Promise<boolean> }>();
  readonly #waiting = new Set<() => void>();

  constructor(options: DeliveredRunsOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#waiting.size >= mostWaiting;
  }

  /** @throws what aborted the signal; UnavailableError when the process closes before a slot is free. */
  async run({ executionId, workflowId }: Job, signal: AbortSignal): Promise<'released' | 'unknown' | 'lost'> {
    if (!this.#options.workflows.has(workflowId)) return 'unknown';
    await this.#untilSlotFree(signal);
    // An earlier attempt may not have noticed that it was given up.
    for (let earlier = this.#running.get(executionId); earlier !== undefined;) {
      earlier.local.lose('the execution was delivered again');
      await earlier.ended;
      earlier = this.#running.get(executionId);
    }
    signal.throwIfAborted();
    const local = new LocalExecution(undefined, undefined, true);
    const lose = (): void => local.lose('the engine has given up this run');
    signal.addEventListener('abort', lose, { once: true });
    const ended = this.#options.occupySlot(workflowId, executionId, local);
    this.#running.set(executionId, { local, ended });
    try {
      return (await ended) ? 'released' : 'lost';
    } finally {
      signal.removeEventListener('abort', lose);
      this.#running.delete(executionId);
    }
  }

  async quarantine(exhausted: ExhaustedExecution): Promise<void> {
    await quarantineExecution(this.#options, exhausted);
  }

  /** To be called when a slot is free, and when the process begins to close. */
  slotFreed(): void {
    for (const wake of this.#waiting) {
      this.#waiting.delete(wake);
      wake();
      if (!this.#options.isClosing()) return;
    }
  }

  async #untilSlotFree(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#options.isClosing()) throw new UnavailableError('SHUTTING_DOWN', 'The process is shutting down');
      if (this.#options.freeSlots() > 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      this.#waiting.delete(resolve);
    }
  }
}
