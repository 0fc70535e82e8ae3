import type { Execution, JournalEntry, JsonObject, JsonValue } from '@halyard/contracts';
import {
  type ExecutionTree,
  isFinal,
  type StoredCheckpoint,
  type StoredChild,
  toExecution,
} from '@halyard/memory-in-memory/executions';
import { type ObjectContext, type ObjectSharedContext, RestatePromise } from '@restatedev/restate-sdk';
import { send } from './calls.ts';
import { toKey } from './object-key.ts';
import type { Delivery, Row } from './protocol.ts';

/*
 * An execution is the state of one object, with one key for each value that grows, because Restate
 * writes a value as a whole:
 *
 *   root          what changes with each commit    j:<position>   a journal entry
 *   fixed         what never changes               e:<id>:<seq>   an event
 *   child:<id>    the row of a sub-workflow        alias          at the id of a sub-workflow: its root
 *
 * `root` is written last: a reader that runs at the same time sees nothing that it does not count.
 */

/** What never changes of a root. */
interface Fixed {
  readonly input: JsonValue;
  readonly context: JsonObject;
  readonly metadata: JsonObject;
}

/** The keys of the rules with which an execution started. */
export interface StartKeys {
  readonly singleton?: string | undefined;
  readonly debounce?: string | undefined;
}

interface SavedCheckpoint {
  /** The positions of the entries that are needed, of those before `position`. */
  readonly kept: readonly number[];
  readonly position: number;
  readonly dropped: readonly string[];
  readonly data: JsonValue;
}

interface RootState extends Pick<
  ExecutionTree,
  'claimsWithoutCommit' | 'lastCommitId' | 'lastCommitSignals' | 'received' | 'resumeRequestIds' | 'subject'
> {
  readonly record: Omit<Execution, keyof Fixed>;
  readonly children: readonly string[];
  readonly checkpoint?: SavedCheckpoint;
  readonly place: PlaceInEngine;
}

/** What the engine knows of an execution besides the tree. */
export interface PlaceInEngine {
  /** How many positions of the journal were used. */
  entries: number;
  /** Grows with each change. */
  revision: number;
  /** That of the last `run` that was sent. */
  ticket: number;
  /** When it may be claimed without a runner; null: not before a signal. */
  dueAt: number | null;
  /** That of the runner. */
  delivery: Delivery | null;
  /** Is resolved by the next signal; null: the runner has not asked for one. */
  awakeable: string | null;
  claimId: string | null;
  /** The deliveries that `claimsWithoutCommit` counts; meaningless when it is 0. */
  claims: readonly Delivery[];
  /** Whether its concurrency key has it among those that run or wait. */
  isAtKey: boolean;
  keys: StartKeys;
  /** Whether the lists have been told of a change that they have not read. */
  isListed: boolean;
}

/** A tree with the part of its history that was read. */
export interface LoadedTree {
  readonly tree: ExecutionTree;
  readonly place: PlaceInEngine;
  readonly hasJournal: boolean;
  readonly positions: ReadonlyMap<JournalEntry, number>;
  /** The ids of all sub-workflows, in the order in which they were created. */
  readonly childIds: readonly string[];
  /** The rows of the sub-workflows that were read, as they were. */
  readonly rows: ReadonlyMap<string, string>;
  /** As it was read. Its tree has it if the journal was read. */
  readonly checkpoint: SavedCheckpoint | undefined;
}

export interface LoadOptions {
  /** Which sub-workflows. Default: all. */
  readonly children?: readonly string[] | undefined;
  /** Default: none of it. */
  readonly journal?: boolean | undefined;
}

export const initialPlace: PlaceInEngine = {
  entries: 0,
  revision: 0,
  ticket: 0,
  dueAt: null,
  delivery: null,
  awakeable: null,
  claimId: null,
  claims: [],
  isAtKey: false,
  keys: {},
  isListed: false,
};

export async function loadTree(
  ctx: ObjectSharedContext,
  { children, journal = false }: LoadOptions = {},
): Promise<LoadedTree | undefined> {
  const [root, fixed] = [await ctx.get<RootState>('root'), await ctx.get<Fixed>('fixed')];
  if (root === null || fixed === null) return undefined;
  const { children: childIds, checkpoint, place, record, ...rest } = root;
  const positions = new Map<JournalEntry, number>();
  if (journal) for (const [position, entry] of await readEntries(ctx, place.entries)) positions.set(entry, position);
  const tree: ExecutionTree = {
    ...rest,
    subject: rest.subject,
    lastCommitId: rest.lastCommitId,
    record: { ...record, ...fixed },
    events: [],
    children: undefined,
    journal: [...positions.keys()],
    checkpoint: undefined,
    descendants: undefined,
  };
  const rows = new Map<string, string>();
  const wanted = children === undefined ? childIds : childIds.filter((id) => children.includes(id));
  for (const id of wanted) {
    const row = await ctx.get<Execution>(childKey(id));
    if (row === null) continue;
    rows.set(id, JSON.stringify(row));
    (tree.descendants ??= []).push({ record: row, events: [], children: undefined, root: tree });
  }
  if (journal && checkpoint !== undefined) tree.checkpoint = readCheckpoint(tree, positions, checkpoint);
  return { tree, place, hasJournal: journal, positions, childIds, rows, checkpoint };
}

export function toRow({ place, tree }: LoadedTree): Row {
  return { root: toExecution(tree), revision: place.revision };
}

async function readEntries(
  ctx: ObjectSharedContext,
  end: number,
): Promise<readonly (readonly [number, JournalEntry])[]> {
  const positions = Array.from({ length: end }, (_, position) => position);
  const entries = await readValues<JournalEntry>(
    ctx,
    positions.map((position) => `j:${position}`),
  );
  return positions.flatMap((position) => {
    const entry = entries[position];
    return entry === undefined || entry === null ? [] : [[position, entry] as const];
  });
}

/** Asks for all values before it waits. The SDK fails an attempt that waits for two at a time. */
export function readValues<Value>(
  ctx: ObjectSharedContext,
  keys: readonly string[],
): Promise<readonly (Value | null)[]> {
  return RestatePromise.all(keys.map((key) => ctx.get<Value>(key) as RestatePromise<Value | null>));
}

function readCheckpoint(
  tree: ExecutionTree,
  positions: ReadonlyMap<JournalEntry, number>,
  { data, dropped, kept, position }: SavedCheckpoint,
): StoredCheckpoint {
  const [needed, left] = [new Set(kept), new Set(dropped)];
  return {
    data,
    kept: tree.journal.filter((entry) => needed.has(positions.get(entry) ?? -1)),
    position: tree.journal.filter((entry) => (positions.get(entry) ?? Infinity) < position).length,
    dropped: new Set(tree.descendants?.filter(({ record }) => left.has(record.id))),
  };
}

/** Writes a change that is none of the execution. */
export async function savePlace(ctx: ObjectContext, place: PlaceInEngine): Promise<void> {
  const root = await ctx.get<RootState>('root');
  if (root !== null) ctx.set<RootState>('root', { ...root, place });
}

/** Writes what has changed since {@link loadTree}, and asks the lists to read it. */
export function saveTree(ctx: ObjectContext, loaded: LoadedTree): void {
  const { childIds, place, positions, rows, tree } = loaded;
  const written = new Map(positions);
  for (const entry of tree.journal) {
    if (written.has(entry)) continue;
    written.set(entry, place.entries);
    ctx.set(`j:${place.entries}`, entry);
    place.entries += 1;
  }
  const stays = new Set(tree.journal);
  for (const [entry, position] of positions) if (!stays.has(entry)) ctx.clear(`j:${position}`);
  writeEvents(ctx, tree);
  for (const child of tree.descendants ?? []) {
    writeEvents(ctx, child);
    if (JSON.stringify(child.record) !== rows.get(child.record.id)) ctx.set(childKey(child.record.id), child.record);
  }
  freePlace(ctx, loaded);
  place.revision += 1;
  const { context, input, metadata, ...record } = tree.record;
  if (place.revision === 1) ctx.set<Fixed>('fixed', { context, input, metadata });
  const added = tree.descendants?.map((child) => child.record.id).filter((id) => !childIds.includes(id)) ?? [];
  const { claimsWithoutCommit, lastCommitId, lastCommitSignals, received, resumeRequestIds, subject } = tree;
  const saved = savedCheckpoint(loaded, written);
  if (!place.isListed) send(ctx, 'lists', tree.record.id, 'write', { rootId: tree.record.id });
  place.isListed = true;
  ctx.set<RootState>('root', {
    record,
    claimsWithoutCommit,
    lastCommitId,
    lastCommitSignals,
    received,
    resumeRequestIds,
    subject,
    place,
    children: [...childIds, ...added],
    ...(saved !== undefined && { checkpoint: saved }),
  });
}

/** A tree whose journal was not read keeps its checkpoint. */
function savedCheckpoint(
  { checkpoint: before, hasJournal, tree }: LoadedTree,
  written: ReadonlyMap<JournalEntry, number>,
): SavedCheckpoint | undefined {
  const { checkpoint } = tree;
  if (!hasJournal) return before;
  if (checkpoint === undefined) return undefined;
  const positionOf = (entry: JournalEntry): number => written.get(entry) ?? -1;
  return {
    data: checkpoint.data,
    kept: checkpoint.kept.map(positionOf),
    position: Math.max(-1, ...tree.journal.slice(0, checkpoint.position).map(positionOf)) + 1,
    dropped: [...checkpoint.dropped].map(({ record }) => record.id),
  };
}

function writeEvents(ctx: ObjectContext, { events, record }: ExecutionTree | StoredChild): void {
  for (const [index, event] of events.entries())
    ctx.set(eventKey(record.id, record.seq - events.length + index + 1), event);
}

function childKey(id: string): string {
  return `child:${toKey(id)}`;
}

export function eventKey(id: string, seq: number): string {
  return `e:${toKey(id)}:${seq}`;
}

/** Whoever has no runner gives the place of its concurrency key to the next. */
function freePlace(ctx: ObjectContext, { place, tree }: LoadedTree): void {
  const { concurrency, id, runner, waitingSince } = tree.record;
  if (concurrency === null || !place.isAtKey || runner !== null) return;
  if (waitingSince !== null && !isFinal(tree.record)) return;
  place.isAtKey = false;
  send(ctx, 'key', concurrencyKey(concurrency.key), 'free', { id });
}

export function concurrencyKey(key: string): string {
  return `concurrency:${key}`;
}

/** The execution has no runner: it runs after the delay, wherever Restate delivers it. */
export function makeDue(ctx: ObjectContext, { place, tree }: LoadedTree, delayMs: number, now: number): void {
  place.dueAt = now + delayMs;
  sendRun(ctx, { place, tree }, delayMs);
}

function sendRun(ctx: ObjectContext, { place, tree }: Pick<LoadedTree, 'place' | 'tree'>, delayMs: number = 0): void {
  place.ticket += 1;
  const { id, workflowId } = tree.record;
  send(ctx, 'runner', id, 'run', { ticket: place.ticket, workflowId }, delayMs);
}

/**
 * An answer, an event or a request has come: the runner reads it, or the execution is due. The next
 * run waits until the runner has ended, and finds nothing to do, unless the runner is gone and
 * somebody has ended its invocation by hand.
 */
export function signal(ctx: ObjectContext, loaded: LoadedTree, now: number): void {
  const { place, tree } = loaded;
  tree.record.signals += 1;
  tree.record.updatedAt = now;
  if (tree.record.runner === null) return makeDue(ctx, loaded, 0, now);
  wakeRunner(ctx, place);
  if (place.ticket === place.delivery?.ticket) sendRun(ctx, loaded);
}

export function wakeRunner(ctx: ObjectContext, place: PlaceInEngine): void {
  if (place.awakeable !== null) ctx.resolveAwakeable(place.awakeable, null);
  place.awakeable = null;
}
