import type { AgentEvent, Usage } from '@halyard/core';
import type { EventSource } from '../define/define-stream.ts';
import type { AnsweredStep, StepEnding } from './answered-step.ts';

/**
 * What the agents of workflows do after they were answered, as the events of one run: those of each step in turn, between a `start` and an end.
 *
 * A run that waits again ends with the reason `tool-calls`. Who cancels it stops listening; the executions go on.
 */
export class ContinuedRun implements EventSource<AgentEvent> {
  readonly #steps: readonly AnsweredStep[];
  readonly #left: AnsweredStep[];
  #hasBegun = false;
  #hasEnded = false;

  /** @param steps whose answers were given just now. */
  constructor(steps: readonly AnsweredStep[]) {
    this.#steps = steps;
    this.#left = [...steps];
    for (const step of steps) step.listen();
  }

  async nextBatch(): Promise<readonly AgentEvent[] | undefined> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return [{ type: 'start' }];
    }
    for (let step = this.#left[0]; step !== undefined; step = this.#left[0]) {
      const batch = await step.nextBatch();
      if (batch !== undefined) return batch;
      this.#left.shift();
    }
    if (this.#hasEnded) return undefined;
    this.#hasEnded = true;
    return [endEvent(this.ending)];
  }

  /** Of several steps the worst: what went wrong, then what still waits. */
  get ending(): StepEnding {
    return this.#steps.map(({ ending }) => ending).reduce(worse);
  }

  cancel(): void {
    for (const step of this.#steps) step.cancel();
  }
}

function worse(one: StepEnding, other: StepEnding): StepEnding {
  if (one.type === 'error' || other.type === 'error') return one.type === 'error' ? one : other;
  if (one.type === 'abort' || other.type === 'abort') return { type: 'abort' };
  const finishReason = one.finishReason === 'tool-calls' ? one.finishReason : other.finishReason;
  return { type: 'finish', finishReason, usage: sumOf(one.usage, other.usage) };
}

function sumOf(one: Usage, other: Usage): Usage {
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  };
}

function endEvent(ending: StepEnding): AgentEvent {
  return ending.type === 'error' ? { type: 'error', error: ending.error } : ending;
}
