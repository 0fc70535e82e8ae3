import type { Job } from '@halyard/contracts';

interface Level {
  readonly priority: number;
  /** Ids of executions by workflow; the workflow whose turn it is comes first. */
  readonly byWorkflow: Map<string, Set<string>>;
}

/**
 * Jobs in the order in which they are handed out: the highest priority first; of one priority, workflows take turns, and each has its own in the order in
 * which they came.
 */
export class WaitingJobs {
  /** The highest priority first; none is empty. */
  readonly #levels: Level[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** What is there already stays where it is. */
  add({ executionId, priority = 0, workflowId }: Job): void {
    const { byWorkflow } = this.#level(priority);
    let ids = byWorkflow.get(workflowId);
    if (ids === undefined) {
      ids = new Set();
      byWorkflow.set(workflowId, ids);
    }
    if (ids.has(executionId)) return;
    ids.add(executionId);
    this.#size += 1;
  }

  /** The workflow that was served goes to the end. */
  take(): Job | undefined {
    const level = this.#levels[0];
    if (level === undefined) return undefined;
    const { byWorkflow } = level;
    for (const [workflowId, ids] of byWorkflow) {
      byWorkflow.delete(workflowId);
      for (const executionId of ids) {
        ids.delete(executionId);
        this.#size -= 1;
        if (ids.size > 0) byWorkflow.set(workflowId, ids);
        else if (byWorkflow.size === 0) this.#levels.shift();
        return { executionId, workflowId };
      }
    }
    return undefined;
  }

  #level(priority: number): Level {
    const index = this.#levels.findIndex((level) => level.priority <= priority);
    const found = this.#levels[index];
    if (found?.priority === priority) return found;
    const level = { priority, byWorkflow: new Map<string, Set<string>>() };
    this.#levels.splice(index === -1 ? this.#levels.length : index, 0, level);
    return level;
  }
}
