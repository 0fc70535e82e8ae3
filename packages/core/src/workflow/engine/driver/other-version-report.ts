import type { ExecutionLeases } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';

const intervalMs = 60_000;
/** How many executions one report names. */
const maxNamed = 10;

/**
 * Logs once a minute which executions wait for a process with another version of their workflow:
 * the last such process may have been replaced.
 */
export class OtherVersionReport {
  readonly #leases: ExecutionLeases;
  readonly #services: AgentServices;
  #nextAt = 0;

  constructor({ leases, services }: { readonly leases: ExecutionLeases; readonly services: AgentServices }) {
    this.#leases = leases;
    this.#services = services;
  }

  /** Never rejects. */
  async report(workflowIds: readonly string[], definitions: readonly string[]): Promise<void> {
    const { clock, logger } = this.#services;
    if (clock.now() < this.#nextAt) return;
    this.#nextAt = clock.now() + intervalMs;
    const waiting = await this.#leases.dueElsewhere(workflowIds, definitions, maxNamed).catch(() => []);
    if (waiting.length === 0) return;
    logger.warn(
      {
        executions: waiting.map(({ executionId }) => executionId),
        workflows: [...new Set(waiting.map(({ workflowId }) => workflowId))],
      },
      'executions wait for a process that has the steps with which they started; register that version of the workflow in `versions`, or name it in `replaces`',
    );
  }
}
