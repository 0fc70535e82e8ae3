/** A run of a workflow, in a list where replays follow the run that they repeat. */
export interface RunBranch<Run> {
  readonly run: Run;
  /** 0: a run of its own; 1: its replay; 2: a replay of that, and so on. */
  readonly depth: number;
}

interface Replayable {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Puts each replay below the run that it repeats, in the given order otherwise. A replay of a run
 * that is not in the list stays where it is.
 */
export function toRunTree<Run extends Replayable>(runs: readonly Run[]): readonly RunBranch<Run>[] {
  const known = new Set(runs.map(({ id }) => id));
  const sourceOf = ({ id, metadata: { replayedFrom } }: Run): string =>
    typeof replayedFrom === 'string' && replayedFrom !== id && known.has(replayedFrom) ? replayedFrom : '';
  const bySource = Map.groupBy(runs, sourceOf);
  const list = (source: string, depth: number): readonly RunBranch<Run>[] =>
    (bySource.get(source) ?? []).flatMap((run) => [{ run, depth }, ...list(run.id, depth + 1)]);
  return list('', 0);
}
