import type { AgentEvent } from '../../agent/agent-event.ts';
import { addUsage } from '../../agent/usage.ts';
import type { ResumedStep, StepEnding } from './resumed-step.ts';

/**
 * The work of workflow steps' agents after their approval responses, as the events of one run: a
 * `start`, the events of one step after another, and an end.
 *
 * A run that waits for approvals again finishes with the reason `tool-calls`. A run that stops
 * early stops following; the executions continue.
 */
export class ResumedRun {
  readonly #steps: readonly ResumedStep[];
  readonly #signal: AbortSignal | undefined;

  /**
   * @param steps whose approvals have just been decided.
   * @param signal ends the run with an `abort`.
   */
  constructor(steps: readonly ResumedStep[], signal: AbortSignal | undefined) {
    this.#steps = steps;
    this.#signal = signal;
    for (const step of steps) step.start();
  }

  async *batches(): AsyncGenerator<readonly AgentEvent[], void, undefined> {
    try {
      yield [{ type: 'start' }];
      for (const step of this.#steps) {
        for await (const batch of step.batches()) {
          if (this.#signal?.aborted === true) break;
          yield batch;
        }
      }
      const { ending } = this;
      yield [ending.type === 'error' ? { type: 'error', error: ending.error } : ending];
    } finally {
      for (const step of this.#steps) step.stop();
    }
  }

  /** The combined ending of its steps: an error wins over an abort, and that over a finish. */
  get ending(): StepEnding {
    if (this.#signal?.aborted === true) return { type: 'abort' };
    return this.#steps.map(({ ending }) => ending).reduce(combined);
  }
}

function combined(one: StepEnding, other: StepEnding): StepEnding {
  if (one.type === 'error' || other.type === 'error') return one.type === 'error' ? one : other;
  if (one.type === 'abort' || other.type === 'abort') return { type: 'abort' };
  const finishReason = one.finishReason === 'tool-calls' ? one.finishReason : other.finishReason;
  return { type: 'finish', finishReason, usage: addUsage(one.usage, other.usage) };
}
