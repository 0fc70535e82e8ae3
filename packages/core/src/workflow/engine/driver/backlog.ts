import type { ExecutionLeases } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';

/** How many due executions are counted. */
const maxBacklog = 1_000;
const empty = { count: 0, oldestDueMs: 0 };

interface BacklogOptions {
  readonly leases: Pick<ExecutionLeases, 'backlog'>;
  readonly services: Pick<AgentServices, 'clock' | 'logger'>;
}

/** The executions that were due at the last read, when this process had no slot for them. */
export class Backlog {
  readonly #options: BacklogOptions;
  #due = 0;
  #dueAt = Infinity;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** How many executions are due: 1 000 at most. */
  get due(): number {
    return this.#due;
  }

  /** How long the oldest of them has been due, in milliseconds; 0 if there is none. */
  get oldestDueMs(): number {
    return Math.max(0, this.#options.services.clock.now() - this.#dueAt);
  }

  /** Never rejects. @param isEmpty nothing is due, as this process knows already. */
  async read(definitions: readonly string[], isEmpty: boolean): Promise<void> {
    const { leases, services } = this.#options;
    try {
      const { count, oldestDueMs } = isEmpty ? empty : await leases.backlog(definitions, maxBacklog);
      this.#due = count;
      this.#dueAt = count === 0 ? Infinity : services.clock.now() - oldestDueMs;
    } catch (error) {
      services.logger.warn({ err: error }, 'the number of due executions could not be read from the storage');
    }
  }
}
