import type { Job } from '@halyard/contracts';

interface Level {
  readonly priority: number;
  /** The subject whose turn is next comes first. */
  readonly bySubject: Map<string | undefined, SubjectJobs>;
}

interface SubjectJobs {
  /** The workflow whose turn is next comes first. */
  readonly byWorkflow: Map<string, WorkflowJobs>;
  /** How many of its jobs start before the turn of the next subject. */
  leftInTurn: number;
}

interface WorkflowJobs {
  readonly ids: Set<string>;
  /** Continues after the last id that was taken. A new iterator would first pass the freed places of all ids taken so far. */
  readonly inOrder: Iterable<string>;
}

/**
 * Waiting jobs. The highest priority comes first; within a priority subjects take turns, and within a subject workflows do; within a
 * workflow jobs are in order of arrival.
 */
export class WaitingJobs {
  readonly #weightOf: (subject: string) => number;
  /** The highest priority first. No level is empty. */
  readonly #levels: Level[] = [];
  #size = 0;

  /** @param weightOf how many jobs of a subject are taken in its turn. */
  constructor(weightOf: (subject: string) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#size;
  }

  /** A job that is waiting already keeps its place: then false. */
  add({ executionId, priority = 0, subject, workflowId }: Job): boolean {
    const { bySubject } = this.#level(priority);
    let jobsOfSubject = bySubject.get(subject);
    if (jobsOfSubject === undefined) {
      jobsOfSubject = { byWorkflow: new Map(), leftInTurn: this.#turnOf(subject) };
      bySubject.set(subject, jobsOfSubject);
    }
    let jobs = jobsOfSubject.byWorkflow.get(workflowId);
    if (jobs === undefined) {
      const ids = new Set<string>();
      jobs = { ids, inOrder: ids.values() };
      jobsOfSubject.byWorkflow.set(workflowId, jobs);
    }
    if (jobs.ids.has(executionId)) return false;
    jobs.ids.add(executionId);
    this.#size += 1;
    return true;
  }

  /** Removes the next job of a subject that may run one. The subject moves to the end of its level when its turn is over. */
  take(mayRun: (subject: string | undefined) => boolean = () => true): Job | undefined {
    for (const [index, { bySubject }] of this.#levels.entries()) {
      for (const [subject, jobs] of bySubject) {
        if (!mayRun(subject)) continue;
        const job = takeFrom(jobs, subject);
        this.#size -= 1;
        jobs.leftInTurn -= 1;
        if (jobs.byWorkflow.size === 0) bySubject.delete(subject);
        else if (jobs.leftInTurn <= 0) {
          jobs.leftInTurn = this.#turnOf(subject);
          bySubject.delete(subject);
          bySubject.set(subject, jobs);
        }
        if (bySubject.size === 0) this.#levels.splice(index, 1);
        return job;
      }
    }
    return undefined;
  }

  #turnOf(subject: string | undefined): number {
    return subject === undefined ? 1 : this.#weightOf(subject);
  }

  #level(priority: number): Level {
    const index = this.#levels.findIndex((level) => level.priority <= priority);
    const found = this.#levels[index];
    if (found?.priority === priority) return found;
    const level: Level = { priority, bySubject: new Map() };
    this.#levels.splice(index === -1 ? this.#levels.length : index, 0, level);
    return level;
  }
}

/** Removes the next job of a subject. Its workflow moves to the end. */
function takeFrom({ byWorkflow }: SubjectJobs, subject: string | undefined): Job | undefined {
  for (const [workflowId, jobs] of byWorkflow) {
    byWorkflow.delete(workflowId);
    for (const executionId of jobs.inOrder) {
      jobs.ids.delete(executionId);
      if (jobs.ids.size > 0) byWorkflow.set(workflowId, jobs);
      return { executionId, workflowId, ...(subject !== undefined && { subject }) };
    }
  }
  return undefined;
}
