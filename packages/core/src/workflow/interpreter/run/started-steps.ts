import type {
  ClaimedExecution,
  Execution,
  ExecutionEvent,
  ExecutionIndex,
  ExecutionLog,
  JsonValue,
} from '@halyard/contracts';
import { findStepPath, type StepIndex } from '../../definition/step-index.ts';
import { RecordedRewinds } from '../../rewind/recorded-rewinds.ts';
import { startedBefore } from './checkpoints.ts';

/**
 * Sub-workflows with at most this many events are read together, as far as they fit into one read,
 * others one by one: a store returns the events of each as a whole.
 */
const maxShortHistory = 1_000;
/** How large the events are that are read at a time, in bytes. A single larger one is read, too. */
const maxReadBytes = 4 * 1024 * 1024;

interface StepStart {
  readonly from: string;
  readonly seq: number;
}

/** Step instances whose `step-start` was written by an earlier run, by execution. */
export type StartedSteps = ReadonlyMap<string, Set<string>>;

/**
 * Reads which steps of a claimed execution have started: those of its checkpoint, and later ones.
 * Steps that were rewound have not. Before the first claim, none has.
 */
export async function readStartedSteps(
  store: ExecutionLog & ExecutionIndex,
  { checkpoint, children, execution }: ClaimedExecution,
  index: StepIndex,
): Promise<StartedSteps> {
  if (execution.epoch === 1) return new Map();
  const rewinds = new RecordedRewinds(execution.rewinds);
  const own = await readStarts(store, execution, checkpoint);
  const isStarted = ({ from, seq }: StepStart): boolean => {
    const path = findStepPath(index, from);
    return path === undefined || !rewinds.isOutdated(path, seq);
  };
  const started = new Map([[execution.id, toSteps(own.filter(isStarted))]]);
  const kept = children.filter(({ path }) => !rewinds.hasRewoundInside(path));
  const short = kept.filter(({ seq }) => seq <= maxShortHistory);
  const histories = await store.histories('anyone', toIds(short), maxShortHistory, maxReadBytes);
  for (const child of kept) {
    const events = histories.get(child.id) ?? [];
    const isWhole = events.length === child.seq;
    started.set(child.id, toSteps(isWhole ? stepStarts(events) : await readStarts(store, child, checkpoint)));
  }
  return started;
}

/**
 * The starts of its steps, without their inputs. Reads page by page: all events together may not
 * fit into memory.
 */
async function readStarts(
  store: ExecutionLog & ExecutionIndex,
  { id, seq }: Execution,
  checkpoint: JsonValue | undefined,
): Promise<readonly StepStart[]> {
  const before = startedBefore(checkpoint, id);
  // A rewind deletes the checkpoint, so none of these was rewound.
  const starts: StepStart[] = before.steps.map((from) => ({ from, seq: Infinity }));
  for (let after = before.seq; after < seq;) {
    const events = await store.events('anyone', id, { after, limit: seq - after, maxBytes: maxReadBytes });
    const last = events.at(-1);
    if (last === undefined) break;
    starts.push(...stepStarts(events));
    after = last.seq;
  }
  return starts;
}

function toIds(executions: readonly Execution[]): readonly string[] {
  return executions.map(({ id }) => id);
}

function stepStarts(events: readonly ExecutionEvent[]): readonly StepStart[] {
  return events.flatMap(({ event, seq }) => (event.type === 'step-start' ? [{ from: event.from, seq }] : []));
}

function toSteps(starts: readonly StepStart[]): Set<string> {
  return new Set(starts.map(({ from }) => from));
}
