import type { Job } from '@halyard/contracts';

interface Level {
  readonly priority: number;
  /** Execution ids by workflow. The workflow whose turn is next comes first. */
  readonly byWorkflow: Map<string, Set<string>>;
}

/** Waiting jobs. The highest priority comes first; within a priority workflows take turns; within a workflow jobs are in order of arrival. */
export class WaitingJobs {
  /** The highest priority first. No level is empty. */
  readonly #levels: Level[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A job that is waiting already keeps its place. */
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

  /** Removes the next job. Its workflow moves to the end of its level. */
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
