import { AbortedError, ConflictError, UnavailableError } from '@halyard/contracts';
import type { LockRequest } from './conversation-lock.ts';

/**
 * With the policy `reject`, a request waits as long as a client that stops a reply may have to wait
 * for its end.
 */
const rejectAfterMs = 1_000;

/** The time that a request waits. It starts only when there is something to wait for. */
export class LockWait {
  readonly #request: LockRequest;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(request: LockRequest) {
    this.#request = request;
  }

  /** Aborted, with the error as its reason, when the request may not wait any longer. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    const { conversationId, policy, signal, waitMs } = this.#request;
    const isRejected = policy === 'reject';
    const atMostMs = isRejected ? Math.min(rejectAfterMs, waitMs) : waitMs;
    if (atMostMs !== Infinity)
      this.#timer = setTimeout(
        () => this.abort(isRejected ? busy(conversationId) : stillBusy(conversationId, waitMs)),
        atMostMs,
      );
    if (signal?.aborted === true) this.#onLeave();
    else signal?.addEventListener('abort', this.#onLeave, { once: true });
  }

  abort(error: Error): void {
    this.#controller.abort(error);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onLeave);
  }

  readonly #onLeave = (): void => this.abort(new AbortedError());
}

function busy(conversationId: string): ConflictError {
  return new ConflictError(
    'CHAT_BUSY',
    `Conversation "${conversationId}" is being answered: follow that answer, stop it, or wait for its end`,
  );
}

function stillBusy(conversationId: string, waitedMs: number): UnavailableError {
  return new UnavailableError(
    'CHAT_STILL_BUSY',
    `Conversation "${conversationId}" was still being answered after ${waitedMs} ms`,
  );
}
