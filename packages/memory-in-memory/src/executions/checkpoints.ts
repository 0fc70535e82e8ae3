import type { Checkpoint, JournalEntry, JsonValue } from '@halyard/contracts';
import { type ExecutionTree, isFinal, none, type StoredChild } from './stored-execution.ts';

/** The entries that claims of a root leave out. */
export interface StoredCheckpoint {
  /** The entries that are still needed of those up to `position`. */
  readonly kept: readonly JournalEntry[];
  /** How many entries the journal had. */
  readonly position: number;
  readonly dropped: ReadonlySet<StoredChild>;
  readonly data: JsonValue;
}

/** To be called when the rest of its commit has been written. */
export function writeCheckpoint(root: ExecutionTree, { children, data, entries }: Checkpoint): void {
  const paths = new Set(entries);
  const ids = new Set(children);
  root.checkpoint = {
    kept: neededEntries(root).filter(({ path }) => paths.has(path)),
    position: root.journal.length,
    dropped: new Set(
      root.descendants?.filter(
        (child) => root.checkpoint?.dropped.has(child) === true || (isFinal(child.record) && !ids.has(child.record.id)),
      ),
    ),
    data,
  };
}

/** The journal without the entries that its checkpoint left out. */
export function neededEntries({ checkpoint, journal }: ExecutionTree): readonly JournalEntry[] {
  return checkpoint === undefined ? [...journal] : [...checkpoint.kept, ...journal.slice(checkpoint.position)];
}

/** The sub-workflows without those that its checkpoint left out. */
export function neededChildren({ checkpoint, descendants }: ExecutionTree): readonly StoredChild[] {
  return descendants?.filter((child) => checkpoint?.dropped.has(child) !== true) ?? none;
}
