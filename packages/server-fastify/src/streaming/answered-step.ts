import type { JsonValue, NewExecutionEvent } from '@halyard/contracts';
import type { AgentEvent, ExecutionFollower, FinishReason, Usage } from '@halyard/core';

/** How an agent's work in a step ended, or where it stands. */
export type StepEnding =
  | { readonly type: 'finish'; readonly finishReason: FinishReason; readonly usage: Usage }
  | { readonly type: 'abort' }
  | { readonly type: 'error'; readonly error: string; readonly code: string };

/** What is not known yet, or only to another process. */
export const unknownUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
};

/** It waits for somebody again. */
const resting: StepEnding = { type: 'finish', finishReason: 'tool-calls', usage: unknownUsage };

/**
 * What the agent of a workflow's step does after it was answered: its events but for the start and the end of its run, until the step has ended or waits again.
 *
 * Where another process runs it, nothing is heard of the agent: its text is told when it is there, and what it asks next.
 */
export class AnsweredStep {
  readonly #stepId: string;
  readonly #follower: ExecutionFollower;
  /** Approvals that were asked for. */
  readonly #asked = new Set<string>();
  /** Of any length: what an agent says is not stored, and lost to those who do not listen. */
  #told: AgentEvent[] = [];
  #finish: StepEnding | undefined;
  #isInStep = false;
  #hasSpoken = false;
  #ending: StepEnding | undefined;
  #reading: Promise<void> | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;

  /** @param follower listens from before the answer on. */
  constructor(stepId: string, follower: ExecutionFollower) {
    this.#stepId = stepId;
    this.#follower = follower;
  }

  /** To be called when the answer is given: before that, the execution is at rest. */
  listen(): void {
    this.#reading = this.#read();
    // Told by the next batch.
    this.#reading.catch(() => {});
  }

  get ending(): StepEnding {
    return this.#ending ?? resting;
  }

  /** All events that are ready, waiting for the first; undefined after the last. */
  async nextBatch(): Promise<readonly AgentEvent[] | undefined> {
    while (this.#told.length === 0) {
      if (this.#isOver) {
        await this.#reading;
        return undefined;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    return this.#told.splice(0);
  }

  /** Stops listening; the execution goes on. */
  cancel(): void {
    this.#follower.cancel();
  }

  async #read(): Promise<void> {
    try {
      while (this.#ending === undefined) {
        const batch = await this.#follower.nextBatch();
        if (batch === undefined) break;
        // What was said live may stand behind what is stored of it.
        for (const { event, seq } of batch) if (seq === undefined) this.#hear(event.from, event.event);
        for (const followed of batch) if (followed.seq !== undefined) this.#see(followed.event);
        this.#wake?.();
      }
      const { ending } = this;
      if (this.#isInStep && ending.type === 'finish') this.#told.push({ ...ending, type: 'finish-step' });
    } finally {
      this.#follower.cancel();
      this.#isOver = true;
      this.#wake?.();
    }
  }

  #hear(from: string, event: AgentEvent): void {
    if (from !== this.#stepId) return;
    if (event.type === 'tool-call' && event.approvalId !== undefined) this.#asked.add(event.approvalId);
    if (event.agentId === undefined) {
      // A run that failed may be tried again: how it ends is what its step says.
      if (event.type === 'finish') this.#finish = event;
      if (['start', 'finish', 'error', 'abort'].includes(event.type)) return;
      if (event.type === 'start-step') this.#isInStep = true;
      if (event.type === 'finish-step') this.#isInStep = false;
      if (event.type === 'text-delta') this.#hasSpoken = true;
    }
    this.#told.push(event);
  }

  #see(event: NewExecutionEvent): void {
    if (event.type === 'workflow-result') this.#ending ??= endingBy(event);
    else if (event.type === 'workflow-suspended') this.#seeSuspension(event['suspension']);
    else if (event.from === this.#stepId && event.type === 'step-error') {
      this.#ending ??= { type: 'error', error: textOf(event['error']) ?? 'The step failed', code: 'STEP_FAILED' };
    } else if (event.from === this.#stepId && event.type === 'step-complete') {
      if (this.#finish === undefined && !this.#hasSpoken) this.#tellOutput(event['output'] ?? null);
      this.#ending ??= this.#finish ?? { type: 'finish', finishReason: 'stop', usage: unknownUsage };
    }
  }

  #seeSuspension(suspension: JsonValue | undefined): void {
    if (fieldOf(suspension, 'stepId') !== this.#stepId) return;
    this.#ending ??= resting;
    const call = askedCall(fieldOf(suspension, 'suspendData'));
    if (call === undefined || this.#asked.has(call.approvalId)) return;
    this.#asked.add(call.approvalId);
    this.#told.push(call);
  }

  #tellOutput(output: JsonValue): void {
    const delta = typeof output === 'string' ? output : JSON.stringify(output);
    this.#told.push(
      { type: 'start-step' },
      { type: 'text-start', id: 't0' },
      { type: 'text-delta', id: 't0', delta },
      { type: 'text-end', id: 't0' },
      { type: 'finish-step', finishReason: 'stop', usage: unknownUsage },
    );
  }
}

/** The step did not come to its end: the execution rests, was ended, or went on without it. */
function endingBy({ error, status }: NewExecutionEvent): StepEnding {
  if (status === 'suspended') return resting;
  if (status !== 'error') return { type: 'abort' };
  return {
    type: 'error',
    error: textOf(fieldOf(error, 'message')) ?? 'The workflow failed',
    code: textOf(fieldOf(error, 'code')) ?? 'WORKFLOW_FAILED',
  };
}

function askedCall(
  data: JsonValue | undefined,
): (Extract<AgentEvent, { type: 'tool-call' }> & { approvalId: string }) | undefined {
  const [approvalId, signature, toolCallId, toolName] = ['approvalId', 'signature', 'toolCallId', 'toolName'].map(
    (name) => textOf(fieldOf(data, name)),
  );
  if (approvalId === undefined || signature === undefined || toolCallId === undefined || toolName === undefined)
    return undefined;
  return { type: 'tool-call', toolCallId, toolName, input: fieldOf(data, 'input'), approvalId, signature };
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, JsonValue>)[name]
    : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
