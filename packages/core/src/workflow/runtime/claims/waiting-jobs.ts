import type { Job } from '@halyard/contracts';

interface Level {
  readonly priority: number;
  /** The workflow whose turn is next comes first. */
  readonly byWorkflow: Map<string, WorkflowJobs>;
}

interface WorkflowJobs {
  readonly ids: Set<string>;
  /** Continues after the last id that was taken. A new iterator would first pass the freed places of all ids taken so far. */
  readonly inOrder: Iterable<string>;
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
    let jobs = byWorkflow.get(workflowId);
    if (jobs === undefined) {
      const ids = new Set<string>();
      jobs = { ids, inOrder: ids.values() };
      byWorkflow.set(workflowId, jobs);
    }
    if (jobs.ids.has(executionId)) return;
    jobs.ids.add(executionId);
    this.#size += 1;
  }

  /** Removes the next job. Its workflow moves to the end of its level. */
  take(): Job | undefined {
    const level = this.#levels[0];
    if (level === undefined) return undefined;
    const { byWorkflow } = level;
    for (const [workflowId, jobs] of byWorkflow) {
      byWorkflow.delete(workflowId);
      for (const executionId of jobs.inOrder) {
        jobs.ids.delete(executionId);
        this.#size -= 1;
        if (jobs.ids.size > 0) byWorkflow.set(workflowId, jobs);
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
    const level = { priority, byWorkflow: new Map<string, WorkflowJobs>() };
    this.#levels.splice(index === -1 ? this.#levels.length : index, 0, level);
    return level;
  }
}
