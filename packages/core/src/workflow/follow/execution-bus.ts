import type { Execution, ExecutionChange, ExecutionEvent } from '@halyard/contracts';
import type { AgentEvent } from '../../agent/agent-event.ts';

/** Receives the events of one execution that this process runs. */
export interface ExecutionListener {
  /** Events that were committed, in order. */
  committed(events: readonly ExecutionEvent[]): void;
  /** An event that is not stored. */
  live(event: LiveEvent): void;
}

/** An event of an agent that a step runs, published while it happens and not stored. */
export interface LiveEvent {
  readonly type: 'agent-event';
  readonly from: string;
  readonly timestamp: string;
  readonly event: AgentEvent;
}

/**
 * Publishes the events of executions within this process, by their `creationId`: another execution
 * may get the same id later.
 */
export class ExecutionBus {
  readonly #listeners = new Map<string, Set<ExecutionListener>>();

  /** @returns a function that removes the listener. */
  listen(creationId: string, listener: ExecutionListener): () => void {
    const listeners = this.#listeners.get(creationId) ?? new Set();
    this.#listeners.set(creationId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(creationId) === listeners) this.#listeners.delete(creationId);
    };
  }

  hasListeners(creationId: string): boolean {
    return this.#listeners.has(creationId);
  }

  /**
   * @param root the root of the executions that changed.
   * @param lastSeq number of the last event of an execution that changed.
   */
  committed(
    root: Pick<Execution, 'creationId' | 'id'>,
    changes: readonly ExecutionChange[],
    lastSeq: (executionId: string) => number | undefined,
  ): void {
    if (this.#listeners.size === 0) return;
    for (const { events, id } of changes) {
      const listeners = this.#listeners.get(id === root.id ? root.creationId : id);
      const last = lastSeq(id);
      if (listeners === undefined || last === undefined) continue;
      const numbered = events.map((event, index) => ({ seq: last - events.length + index + 1, event }));
      for (const listener of listeners) listener.committed(numbered);
    }
  }

  live(creationId: string, event: LiveEvent): void {
    for (const listener of this.#listeners.get(creationId) ?? []) listener.live(event);
  }
}
