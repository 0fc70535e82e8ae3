import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClaimedExecution, ClaimOptions, ExecutionHost, Job, Lease } from '@halyard/contracts';
import { RetryableError } from '@restatedev/restate-sdk';
import type { IngressClient } from './ingress-client.ts';
import type { ClaimResult, Delivery } from './objects/protocol.ts';
import type { Watches } from './watches.ts';

/**
 * When an execution is delivered again that this process cannot run: perhaps to a newer version of
 * the app, or because its quarantine failed.
 */
const againMs = 10_000;

interface DeliveredRun {
  /**
   * Resolves when the execution was released, or delivered again. Rejects when this process cannot
   * take it now: Restate tries again, perhaps in another one.
   *
   * @param signal aborts when Restate has given up this attempt, or its connection broke.
   */
  readonly end: (signal: AbortSignal) => Promise<void>;
  /** The execution has received a signal: the next one resolves this awakeable. */
  readonly signalled: (awakeable: string) => void;
}

interface Current {
  readonly delivery: Delivery;
  readonly workflowId: string;
  /** The next signal resolves it. */
  awakeable: string;
  /** Of its claim. Undefined: not known. */
  result: ClaimResult['status'] | undefined;
}

/** The executions that Restate has delivered to this process. */
export class Deliveries {
  readonly #client: IngressClient;
  readonly #watches: Watches;
  readonly #current = new Map<string, Current>();
  #host: ExecutionHost | undefined;

  constructor(client: IngressClient, watches: Watches) {
    this.#client = client;
    this.#watches = watches;
  }

  start(host: ExecutionHost): void {
    this.#host = host;
  }

  /** Whether this process cannot run more at the moment, or does not run executions yet. */
  get isFull(): boolean {
    return this.#host?.isFull ?? true;
  }

  /** @param awakeable which the first signal resolves. */
  begin(job: Job, delivery: Delivery, awakeable: string): DeliveredRun {
    const current: Current = { delivery, workflowId: job.workflowId, awakeable, result: undefined };
    return {
      end: (signal) => this.#run(job, current, signal),
      signalled: (next) => {
        // A later attempt sees the signals of the earlier ones before its claim, which names this one.
        current.awakeable = next;
        if (this.#current.get(job.executionId) === current)
          void this.#register(job.executionId, current).catch(() => {});
      },
    };
  }

  async #run(job: Job, current: Current, signal: AbortSignal): Promise<void> {
    const host = this.#host;
    if (host === undefined) throw new RetryableError('This process does not run executions');
    const { executionId } = job;
    const { delivery } = current;
    this.#current.set(executionId, current);
    const stopWatching = this.#watches.drive(executionId);
    const leave = (delayMs: number, isGivenUp: boolean = false): Promise<void> =>
      this.#client.call('execution', executionId, 'left', { delivery, delayMs, isGivenUp });
    try {
      const outcome = await host.run(job, signal);
      signal.throwIfAborted();
      if (outcome === 'released') return;
      const result = outcome === 'unknown' ? outcome : current.result;
      if (result === undefined) throw new RetryableError('The execution could not be claimed');
      // Refused: it is not due, was delivered again since, or waits for a place.
      if (result !== 'refused') await leave(result === 'claimed' ? 0 : againMs);
    } finally {
      stopWatching();
      if (this.#current.get(executionId) === current) this.#current.delete(executionId);
      // Restate delivers it again, unless somebody has ended the invocation by hand.
      if (signal.aborted)
        void delay(againMs, undefined, { ref: false })
          .then(() => leave(0, true))
          .catch(() => {});
    }
  }

  /** Whether an execution runs here, or is being claimed. */
  has(id: string): boolean {
    return this.#current.has(id);
  }

  /** @returns undefined for an execution that was not delivered here, or may not run now. */
  async claim(
    id: string,
    { runner }: Lease,
    { definitions }: ClaimOptions = {},
  ): Promise<ClaimedExecution | undefined> {
    const current = this.#current.get(id);
    const host = this.#host;
    if (current === undefined || host === undefined) return undefined;
    const { awakeable, delivery, workflowId } = current;
    const result = await this.#client.call('execution', id, 'claim', {
      runner,
      definitions: definitions ?? null,
      claimId: randomUUID(),
      delivery,
      awakeable,
      maxClaims: host.maxClaims,
    });
    current.result = result.status;
    if (result.status === 'exhausted')
      await host.quarantine({ executionId: id, workflowId, claimsWithoutCommit: result.claimsWithoutCommit });
    if (result.status !== 'claimed') return undefined;
    if (current.awakeable !== awakeable) await this.#register(id, current);
    return result.claimed;
  }

  /** A signal that came before it resolved no awakeable. */
  async #register(executionId: string, { awakeable, delivery }: Current): Promise<void> {
    await this.#client.call('execution', executionId, 'listen', { delivery, awakeable });
    this.#watches.notify(executionId, 'signal');
  }
}
