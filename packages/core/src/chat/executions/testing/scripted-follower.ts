import type { NewExecutionEvent } from '@halyard/contracts';
import type { AgentEvent } from '../../../agent/agent-event.ts';
import type { FollowedEvent } from '../../../workflow/follow/follow-execution.ts';

const timestamp = '2026-01-01T00:00:00.000Z';

/** Follows an execution whose batches of events a test lists. Counts its stops. */
export class ScriptedFollower {
  stops = 0;
  readonly #batches: readonly (readonly FollowedEvent[])[];

  constructor(...batches: readonly (readonly FollowedEvent[])[]) {
    this.#batches = batches;
  }

  async *batches(): AsyncGenerator<readonly FollowedEvent[], void, undefined> {
    for (const batch of this.#batches) yield batch;
  }

  stop(): void {
    this.stops += 1;
  }
}

/** An event of the agent of a step. */
export function live(event: AgentEvent, from = 'ask'): FollowedEvent {
  return { seq: undefined, event: { type: 'agent-event', from, timestamp, event } };
}

/** A stored event of an execution. */
export function stored(type: string, fields: Partial<NewExecutionEvent> = {}, from = 'ask'): FollowedEvent {
  return { seq: 1, event: { type, from, timestamp, ...fields } };
}
