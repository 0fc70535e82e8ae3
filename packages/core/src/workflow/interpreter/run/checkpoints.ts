import type { Checkpoint, JsonValue } from '@halyard/contracts';
import { childPath, decidedRound, itemPath, type Place, records, roundsAround } from '../../definition/place.ts';
import { stepAtPath } from '../../definition/step-at-path.ts';
import { hasRounds, findStepPath } from '../../definition/step-index.ts';
import type { AnyStep } from '../../definition/step.ts';
import type { ExecutionRun } from './execution-run.ts';
import type { LiveExecution } from './live-execution.ts';

/** The steps of an execution that had started and not finished when a checkpoint was made. */
export type StartedBefore = {
  /** Later events are not included. */
  readonly seq: number;
  readonly steps: readonly string[];
};

/** The data of a checkpoint: the started steps, by the id of the execution. */
type CheckpointData = Readonly<Record<string, StartedBefore>>;

/**
 * How many entries a checkpoint must leave out to be worth its cost, if this many are still needed.
 */
function leastLeftOutByDefault(needed: number): number {
  return Math.max(100, needed);
}

/**
 * Finds the entries of a run's journal that are no longer needed: those of the older rounds of
 * loops. A loop continues from the output of its last round, and steps can read the round before.
 * The rounds of a loop with steps that can be undone are all needed.
 */
export class Checkpoints {
  readonly #run: ExecutionRun;
  readonly #leastLeftOut: (needed: number) => number;
  /** How many entries the journal has at least when there may be enough to leave out. */
  #nextSize: number;

  constructor(run: ExecutionRun, leastLeftOut: (needed: number) => number = leastLeftOutByDefault) {
    this.#run = run;
    this.#leastLeftOut = leastLeftOut;
    this.#nextSize = leastLeftOut(0);
  }

  /**
   * The checkpoint for the commit that is about to be made, with all entries so far. Entries that
   * it leaves out are also deleted from the journal of the run.
   *
   * @returns undefined when there is too little to leave out.
   */
  next(): Checkpoint | undefined {
    const { journal, rounds } = this.#run;
    if (journal.size < this.#nextSize) return undefined;
    const oldest = this.#oldestRounds();
    const leftOut = [...journal.values()].filter(({ path }) => isTooOld(path, oldest));
    const needed = journal.size - leftOut.length;
    const least = this.#leastLeftOut(needed);
    this.#nextSize = needed + least;
    if (leftOut.length < least) return undefined;
    const data = this.#started((path) => journal.has(path) || isInOldRound(path, oldest));
    for (const { path } of leftOut) journal.delete(path);
    rounds.recount();
    const entries = [...journal.values()];
    return {
      entries: entries.map(({ path }) => path),
      children: entries.flatMap((entry) =>
        records(entry, 'execution') && typeof entry.output === 'string' ? entry.output : [],
      ),
      data,
    };
  }

  /** The oldest round that is still needed, by the path of the loop. */
  #oldestRounds(): (loop: string) => number {
    const found = new Map<string, number>();
    return (loop) => {
      const oldest = found.get(loop) ?? this.#oldestRound(loop);
      found.set(loop, oldest);
      return oldest;
    };
  }

  #oldestRound(loop: string): number {
    const { journal, root, rounds } = this.#run;
    const step = stepAtPath(root.workflow, loop)?.step;
    if (step === undefined || !hasRounds(step) || canBeUndone(step)) return 0;
    const [inner] = step.steps;
    let oldest = rounds.previous(loop);
    // The output of a failed step may be the data that it received from the round before.
    while (
      oldest > rounds.first(loop) &&
      journal.get(childPath(itemPath(loop, oldest), inner?.id ?? ''))?.status === 'error'
    )
      oldest -= 1;
    return oldest;
  }

  #started(hasEnded: (path: string) => boolean): CheckpointData {
    const { children, root } = this.#run;
    const executions = [root, ...children.live.filter((child) => !child.hasEnded)];
    return Object.fromEntries(
      executions.map((execution) => {
        forgetEnded(execution, hasEnded);
        return [execution.id, { seq: execution.seq, steps: [...execution.started] }];
      }),
    );
  }
}

/** Reads a checkpoint of an execution. */
export function startedBefore(checkpoint: JsonValue | undefined, executionId: string): StartedBefore {
  // `Checkpoints` has written it.
  const data = checkpoint as CheckpointData | undefined;
  return data?.[executionId] ?? { seq: 0, steps: [] };
}

/** Steps that have ended never start again. */
function forgetEnded(execution: LiveExecution, hasEnded: (path: string) => boolean): void {
  for (const instance of execution.started) {
    const own = findStepPath(execution.workflow.index, instance);
    if (own !== undefined && hasEnded(execution.pathOf(own))) execution.started.delete(instance);
  }
}

function isTooOld(place: Place, oldest: (loop: string) => number): boolean {
  const decided = decidedRound(place);
  return (decided !== undefined && decided.round < oldest(decided.loop)) || isInOldRound(place, oldest);
}

function isInOldRound(place: Place, oldest: (loop: string) => number): boolean {
  return roundsAround(place).some(({ loop, round }) => round < oldest(loop));
}

function canBeUndone(step: AnyStep): boolean {
  if (step.compensate !== undefined) return true;
  return [...step.steps, ...(step.workflow?.steps ?? [])].some(canBeUndone);
}
