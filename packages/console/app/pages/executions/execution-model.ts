import type { components } from '../../api/schema.ts';
import type { WorkflowStep } from '../workflows/workflow-graph.ts';
import type { StoredEvent } from './execution-events.ts';
import { instancesAround, isWithin, runPath } from './run-path.ts';

/** What the runs of steps depend on besides the events. */
export type ExecutionStatus = Pick<
  components['schemas']['ExecutionState'],
  'endAt' | 'rewinds' | 'status' | 'updatedAt'
> & { readonly suspensions: readonly { readonly stepId: string }[] };

/** One failed attempt of a step. */
interface Attempt {
  readonly error: string;
  readonly at: number;
  /** How long the step waited before the next one; after a retry by hand, until it ended. */
  readonly delayMs: number;
  /** The next one is a retry of the execution, whose time is not recorded. */
  readonly isRetriedByHand?: true;
}

type RunState = 'running' | 'success' | 'skipped' | 'error' | 'suspended' | 'waiting' | 'cancelled';

/** A custom event of a step. */
interface Note {
  readonly at: number;
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A time in which a step waited for an answer, an event or a time. */
interface Pause {
  readonly from: number;
  readonly to: number | undefined;
  readonly reason: string;
}

/** One run of a step, or of one of its instances in a loop. */
export interface StepRun {
  /** `approve`, in a loop `approve:3`. */
  readonly instance: string;
  /** The id of the step in the definition. */
  readonly stepId: string;
  readonly type: string;
  readonly state: RunState;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly pauses: readonly Pause[];
  readonly notes: readonly Note[];
  readonly isUndone: boolean;
  /** A rewind or a retry made the step run again: another run counts. */
  readonly isSuperseded: boolean;
}

type Draft = { -readonly [Name in keyof StepRun]: StepRun[Name] } & {
  attempts: Attempt[];
  pauses: Pause[];
  notes: Note[];
};

const sleeps = new Set(['andSleep', 'andSleepUntil']);

/**
 * The runs of all steps, in the order in which they started.
 *
 * @param steps the definition of the workflow, which tells which steps a rewound one contains; none
 * where it is not known.
 * @param now the time of `execution`.
 */
export function stepRuns(
  events: readonly StoredEvent[],
  execution: ExecutionStatus | undefined,
  steps: readonly WorkflowStep[] = [],
  now: number = Date.now(),
): readonly StepRun[] {
  const runs: Draft[] = [];
  const current = new Map<string, Draft>();
  const rewinds = [...(execution?.rewinds ?? [])];
  for (const event of events) {
    while (rewinds[0] !== undefined && rewinds[0].seq < event.seq)
      runAgain(rewinds.shift()?.paths ?? [], runs, current, steps, Date.parse(event.timestamp));
    apply(event, runs, current);
  }
  for (const { paths } of rewinds) runAgain(paths, runs, current, steps, Date.parse(execution?.updatedAt ?? ''));
  settle(runs, execution, now);
  return runs;
}

export function toStepName(instance: string): string {
  return instance.split(':', 1)[0] ?? instance;
}

function apply(event: StoredEvent, runs: Draft[], current: Map<string, Draft>): void {
  const time = Date.parse(event.timestamp);
  const run = current.get(event.from);
  // Whatever a step does ends its wait.
  if (run !== undefined) resume(run, time);
  switch (event.type) {
    case 'step-start': {
      const started = newRun(event as StartEvent, time);
      if (run !== undefined) {
        run.isSuperseded = true;
        endRun(run, time);
      }
      runs.push(started);
      current.set(event.from, started);
      break;
    }
    case 'step-complete': {
      const { output, status } = event as StoredEvent & { output: unknown; status: 'success' | 'skipped' };
      if (run) Object.assign(run, { state: status, output, endedAt: time });
      break;
    }
    case 'step-error':
      if (run) Object.assign(run, { state: 'error', error: (event as ErrorEvent).error, endedAt: time });
      break;
    case 'step-retry': {
      const { delayMs, error } = event as StoredEvent & { delayMs: number; error: string };
      run?.attempts.push({ error, delayMs, at: time });
      break;
    }
    case 'step-compensated':
      if (run) run.isUndone = true;
      break;
    case 'workflow-suspended': {
      const { reason, stepId } = (event as StoredEvent & { suspension: { stepId: string; reason: string } }).suspension;
      current.get(stepId)?.pauses.push({ from: time, to: undefined, reason });
      break;
    }
    default:
      if (event.type.startsWith('custom-')) run?.notes.push(toNote(event, time));
      break;
  }
}

function toNote(
  { executionId: _, from: __, seq: ___, timestamp: ____, type, ...fields }: StoredEvent,
  at: number,
): Note {
  return { at, type, fields };
}

type StartEvent = StoredEvent & { readonly input: unknown; readonly stepType: string };
type ErrorEvent = StoredEvent & { readonly error: string };

function newRun({ from, input, stepType }: StartEvent, time: number): Draft {
  return {
    instance: from,
    stepId: toStepName(from),
    type: stepType,
    state: 'running',
    startedAt: time,
    endedAt: undefined,
    input,
    output: undefined,
    error: undefined,
    attempts: [],
    pauses: [],
    notes: [],
    isUndone: false,
    isSuperseded: false,
  };
}

function resume(run: Draft, time: number): void {
  const pause = run.pauses.at(-1);
  if (pause !== undefined && pause.to === undefined) run.pauses[run.pauses.length - 1] = { ...pause, to: time };
}

/** A run that will not continue. */
function endRun(run: Draft, time: number): void {
  if (run.endedAt !== undefined) return;
  run.endedAt = time;
  run.state = 'cancelled';
  resume(run, time);
}

function runAgain(
  paths: readonly string[],
  runs: readonly Draft[],
  current: Map<string, Draft>,
  steps: readonly WorkflowStep[],
  time: number,
): void {
  if (paths.length === 0) retryFailed(current.values(), time);
  else rewind(paths, runs, current, steps, time);
}

/** A retry continues the steps that had failed: what follows belongs to the same runs. */
function retryFailed(runs: Iterable<Draft>, time: number): void {
  for (const run of runs) {
    const { endedAt, error, state } = run;
    if (state !== 'error' || endedAt === undefined) continue;
    run.attempts.push({ error: error ?? '', at: endedAt, delayMs: time - endedAt, isRetriedByHand: true });
    Object.assign(run, { state: 'running', endedAt: undefined, error: undefined });
  }
}

/**
 * The steps at these paths and below them run again. Steps above them continue, also if they had
 * ended.
 */
function rewind(
  paths: readonly string[],
  runs: readonly Draft[],
  current: Map<string, Draft>,
  steps: readonly WorkflowStep[],
  time: number,
): void {
  for (const [instance, run] of current) {
    const own = runPath(instance, steps);
    if (!paths.some((path) => isWithin(own, path))) continue;
    run.isSuperseded = true;
    endRun(run, time);
    current.delete(instance);
  }
  for (const instance of paths.flatMap(instancesAround)) {
    const run = current.get(instance);
    if (run?.endedAt !== undefined)
      Object.assign(run, { state: 'running', endedAt: undefined, output: undefined, error: undefined });
  }
}

/** Runs that have not ended get the status of the execution. */
function settle(runs: readonly Draft[], execution: ExecutionStatus | undefined, now: number): void {
  if (execution === undefined) return;
  const waiting = new Set(execution.suspensions.map(({ stepId }) => stepId));
  for (const run of runs) {
    if (run.endedAt !== undefined || run.isSuperseded) continue;
    if (execution.endAt !== null) {
      // It has failed with the execution, or lost a race.
      run.state = execution.status === 'error' ? 'error' : 'cancelled';
      run.endedAt = Date.parse(execution.endAt);
      resume(run, run.endedAt);
    } else if (waiting.has(run.instance)) run.state = 'suspended';
    else {
      resume(run, Date.parse(execution.updatedAt));
      if (sleeps.has(run.type) || isRetryPending(run, now)) run.state = 'waiting';
    }
  }
}

/**
 * When the last attempt began: after the delay that followed the one before. Undefined after a retry
 * by hand.
 */
export function lastAttemptAt({ attempts, endedAt = Infinity, startedAt }: StepRun): number | undefined {
  const failed = attempts.at(-1);
  if (failed?.isRetriedByHand === true) return undefined;
  return failed === undefined ? startedAt : Math.min(failed.at + failed.delayMs, endedAt);
}

/** How long the last attempt took, or has taken; undefined where that is not known. */
export function lastAttemptMs(run: StepRun, end: number): number | undefined {
  const start = lastAttemptAt(run);
  return start === undefined ? undefined : Math.max(0, end - start);
}

function isRetryPending({ attempts }: Draft, now: number): boolean {
  const last = attempts.at(-1);
  return last !== undefined && last.at + last.delayMs > now;
}

/** The state of each step of the definition; of loops the one that says most. */
export interface StepSummary {
  readonly state: RunState;
  readonly count: number;
  readonly done: number;
  readonly attempts: number;
  /**
   * Of one run the duration of its last attempt, of several the time from the first start to the
   * last end.
   */
  readonly durationMs: number | undefined;
}

const weight: Readonly<Record<RunState, number>> = {
  error: 6,
  suspended: 5,
  running: 4,
  waiting: 3,
  cancelled: 2,
  success: 1,
  skipped: 0,
};

export function summarize(runs: readonly StepRun[]): ReadonlyMap<string, StepSummary> {
  const byStep = Map.groupBy(
    runs.filter(({ isSuperseded }) => !isSuperseded),
    ({ stepId }) => stepId,
  );
  return new Map(
    [...byStep].map(([stepId, own]) => {
      const state = own.reduce<RunState>(
        (most, run) => (weight[run.state] > weight[most] ? run.state : most),
        'skipped',
      );
      const starts = own.map((run) => (own.length === 1 ? lastAttemptAt(run) : run.startedAt));
      const start = starts.includes(undefined) ? undefined : Math.min(...starts.map((each) => each ?? 0));
      const ends = own.map(({ endedAt }) => endedAt);
      const isDone = ends.every((end) => end !== undefined);
      const summary: StepSummary = {
        state,
        count: own.length,
        done: ends.filter((end) => end !== undefined).length,
        attempts: Math.max(...own.map(({ attempts }) => attempts.length + 1)),
        durationMs: isDone && start !== undefined ? Math.max(...ends.map((end) => end ?? start)) - start : undefined,
      };
      return [stepId, summary];
    }),
  );
}
