import type { JsonValue, NewExecutionEvent } from '@halyard/contracts';
import type { AgentEvent, FinishReason } from '../../agent/agent-event.ts';
import { EventStream } from '../../agent/loop/event-stream.ts';
import { noUsage, type Usage } from '../../agent/usage.ts';
import type { ExecutionFollower } from '../../workflow/follow/follow-execution.ts';

/** How the agent of a step ended, or that it waits for an approval again. */
export type StepEnding =
  | { readonly type: 'finish'; readonly finishReason: FinishReason; readonly usage: Usage }
  | { readonly type: 'abort' }
  | { readonly type: 'error'; readonly error: string; readonly code: string };

const waitsAgain: StepEnding = { type: 'finish', finishReason: 'tool-calls', usage: noUsage };

/**
 * The work of a workflow step's agent after an approval response: its events except the start and
 * the end of its run, until the step ends or waits again.
 *
 * Live events of another process do not arrive here: then there is the output of the step, and the
 * approvals that it requests.
 */
export class ResumedStep {
  readonly #stepId: string;
  readonly #follower: Pick<ExecutionFollower, 'batches' | 'stop'>;
  /** Unbounded: live events are not stored, and would be lost to a slow consumer. */
  readonly #events = new EventStream<AgentEvent>(
    () => 0,
    () => this.stop(),
    { maxEvents: Infinity, maxWeight: Infinity },
  );
  readonly #requestedApprovals = new Set<string>();
  #ending: StepEnding | undefined;
  /** How the run of the agent ended, which its step may retry. */
  #runEnding: StepEnding | undefined;
  #isInStep = false;
  #hasText = false;
  #reading: Promise<void> | undefined;

  /** @param follower listens since before the response. */
  constructor(stepId: string, follower: Pick<ExecutionFollower, 'batches' | 'stop'>) {
    this.#stepId = stepId;
    this.#follower = follower;
  }

  /** Starts reading. Call it after the response: before that, the execution is idle. */
  start(): void {
    this.#reading = this.#read();
    // `batches` throws it.
    this.#reading.catch(() => {});
  }

  /** How the step ended; final once the batches are read to their end. */
  get ending(): StepEnding {
    return this.#ending ?? waitsAgain;
  }

  async *batches(): AsyncGenerator<readonly AgentEvent[], void, undefined> {
    yield* this.#events;
    await this.#reading;
  }

  /** Stops following; the execution continues. */
  stop(): void {
    this.#follower.stop();
  }

  async #read(): Promise<void> {
    try {
      for await (const batch of this.#follower.batches()) {
        // A live event may arrive after the stored event that it caused.
        for (const { event, seq } of batch) if (seq === undefined) this.#onLive(event.from, event.event);
        for (const { event, seq } of batch) if (seq !== undefined) this.#onStored(event);
        if (this.#ending !== undefined) break;
      }
      const { ending } = this;
      if (this.#isInStep && ending.type === 'finish') this.#emit({ ...ending, type: 'finish-step' });
    } finally {
      this.#events.end();
    }
  }

  #onLive(from: string, event: AgentEvent): void {
    if (from !== this.#stepId) return;
    if (event.type === 'tool-call' && event.approvalId !== undefined) this.#requestedApprovals.add(event.approvalId);
    if (event.agentId === undefined) {
      // The step may retry a failed run: only the events of the step end it.
      if (event.type === 'finish') this.#runEnding = event;
      if (['start', 'finish', 'error', 'abort'].includes(event.type)) return;
      if (event.type === 'start-step') this.#isInStep = true;
      if (event.type === 'finish-step') this.#isInStep = false;
      if (event.type === 'text-delta') this.#hasText = true;
    }
    this.#emit(event);
  }

  #onStored(event: NewExecutionEvent): void {
    if (event.type === 'workflow-result') this.#ending ??= endingOfWorkflow(event);
    else if (event.type === 'workflow-suspended') this.#onSuspended(event['suspension']);
    else if (event.from === this.#stepId && event.type === 'step-error') {
      this.#ending ??= { type: 'error', error: toText(event['error']) ?? 'The step failed', code: 'STEP_FAILED' };
    } else if (event.from === this.#stepId && event.type === 'step-complete') {
      if (this.#runEnding === undefined && !this.#hasText) this.#emitOutput(event['output'] ?? null);
      this.#ending ??= this.#runEnding ?? { type: 'finish', finishReason: 'stop', usage: noUsage };
    }
  }

  #onSuspended(suspension: JsonValue | undefined): void {
    if (readField(suspension, 'stepId') !== this.#stepId) return;
    this.#ending ??= waitsAgain;
    const call = requestedCall(readField(suspension, 'suspendData'));
    if (call === undefined || this.#requestedApprovals.has(call.approvalId)) return;
    this.#requestedApprovals.add(call.approvalId);
    this.#emit(call);
  }

  #emitOutput(output: JsonValue): void {
    const delta = typeof output === 'string' ? output : JSON.stringify(output);
    this.#emit({ type: 'start-step' });
    this.#emit({ type: 'text-start', id: 't0' });
    this.#emit({ type: 'text-delta', id: 't0', delta });
    this.#emit({ type: 'text-end', id: 't0' });
    this.#emit({ type: 'finish-step', finishReason: 'stop', usage: noUsage });
  }

  #emit(event: AgentEvent): void {
    void this.#events.push(event);
  }
}

/** The step did not end: the execution is suspended, has ended, or continued without it. */
function endingOfWorkflow({ error, status }: NewExecutionEvent): StepEnding {
  if (status === 'suspended') return waitsAgain;
  if (status !== 'error') return { type: 'abort' };
  return {
    type: 'error',
    error: toText(readField(error, 'message')) ?? 'The workflow failed',
    code: toText(readField(error, 'code')) ?? 'WORKFLOW_FAILED',
  };
}

function requestedCall(
  data: JsonValue | undefined,
): (Extract<AgentEvent, { type: 'tool-call' }> & { approvalId: string }) | undefined {
  const [approvalId, signature, toolCallId, toolName] = ['approvalId', 'signature', 'toolCallId', 'toolName'].map(
    (name) => toText(readField(data, name)),
  );
  if (approvalId === undefined || signature === undefined || toolCallId === undefined || toolName === undefined)
    return undefined;
  return { type: 'tool-call', toolCallId, toolName, input: readField(data, 'input'), approvalId, signature };
}

function readField(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, JsonValue>)[name]
    : undefined;
}

function toText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
