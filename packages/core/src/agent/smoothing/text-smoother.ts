import type { Clock } from '@halyard/contracts';
import type { AgentEvent } from '../agent-event.ts';
import type { Emit } from '../loop/run.ts';
import type { Smoothing } from './smooth-stream.ts';

type Delta = Extract<AgentEvent, { type: 'text-delta' | 'reasoning-delta' }>;

interface TextSmootherOptions {
  readonly smoothing: Smoothing;
  readonly clock: Clock;
  /** Ends a wait. */
  readonly signal: AbortSignal;
}

/**
 * Emits texts and reasoning in even chunks, with a delay between two of them. A chunk that is late
 * anyway does not wait. One event at a time: the next one is passed when the promise for the last
 * one has resolved.
 */
export class TextSmoother {
  readonly #emit: Emit;
  readonly #options: TextSmootherOptions;
  /** The part of a block that has not been emitted. */
  #waiting: Delta | undefined;
  #nextAt = -Infinity;
  #isReleased = false;

  constructor(emit: Emit, options: TextSmootherOptions) {
    this.#emit = emit;
    this.#options = options;
  }

  readonly emit: Emit = (event) => {
    if (this.#isReleased) return this.#emit(event);
    if (event.type === 'text-delta' || event.type === 'reasoning-delta') return this.#add(event);
    return this.#waiting === undefined ? this.#emit(event) : this.#emitAfterRest(event);
  };

  /** Emits the waiting events at once; and from now on each event as it comes. */
  release(): void {
    this.#isReleased = true;
    void this.#emitRest();
  }

  async #add(delta: Delta): Promise<void> {
    const waiting = this.#waiting;
    // An event has the metadata of one delta.
    const isSameBlock = waiting?.type === delta.type && waiting.id === delta.id && delta.providerMetadata === undefined;
    if (!isSameBlock) await this.#emitRest();
    this.#waiting = isSameBlock ? { ...waiting, delta: waiting.delta + delta.delta } : delta;
    await this.#emitChunks();
    if (this.#waiting?.delta === '') await this.#emitRest();
  }

  async #emitChunks(): Promise<void> {
    const { smoothing } = this.#options;
    while (this.#waiting !== undefined) {
      const chunk = smoothing.findChunk(this.#waiting.delta);
      if (chunk === undefined || chunk === null) return;
      await this.#untilDue();
      // It was released meanwhile, and has emitted everything.
      if (this.#waiting === undefined) return;
      const { providerMetadata, ...rest } = this.#waiting;
      const left = rest.delta.slice(chunk.length);
      this.#waiting = left === '' ? undefined : { ...rest, delta: left };
      await this.#emit({ ...rest, delta: chunk, ...(providerMetadata !== undefined && { providerMetadata }) });
    }
  }

  async #untilDue(): Promise<void> {
    const { clock, signal, smoothing } = this.#options;
    // The time of day may be set back.
    const waitMs = Math.min(this.#nextAt - clock.now(), smoothing.delayMs);
    if (waitMs > 0) await pause(waitMs, signal);
    this.#nextAt = clock.now() + smoothing.delayMs;
  }

  #emitRest(): Promise<void> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting === undefined ? undefined : this.#emit(waiting);
  }

  async #emitAfterRest(event: AgentEvent): Promise<void> {
    await this.#emitRest();
    await this.#emit(event);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
