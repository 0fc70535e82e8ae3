import { isDeepStrictEqual } from 'node:util';
import { ConflictError, type Executions, HalyardError, InvalidInputError } from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import { isoTime } from '../../json/iso-time.ts';
import { indexSteps } from '../definition/step-index.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { idOfTick } from '../definition/workflow-schedule.ts';
import type { ExecutionKey, StartOptions, WaitOptions } from '../engine/runtime-options.ts';
import { andRun, type CodeContext } from '../steps/and-run.ts';
import { toScheduleRecord, revisionId, type ScheduleRecord, scheduleWorkflowId } from './schedule-record.ts';
import { toTicks } from './schedule-rule.ts';

/** After this many ticks, a new execution with an empty journal continues. */
const ticksPerExecution = 50;
const attempts = 12;
/** A schedule that is paused sleeps until then. */
const never = '9999-12-31T23:59:59Z';
/** More revisions are open only if as many processes have died while they changed a schedule. */
const maxOpen = 200;
const noWait: WaitOptions = { timeoutMs: 0 };

export interface ScheduleRuntime {
  readonly store: Pick<Executions, 'find' | 'list'>;
  readonly services: Pick<AgentServices, 'clock' | 'logger'>;
  /** Starts an execution, also an internal one. @throws what `WorkflowRuntime.begin` throws. */
  readonly begin: (
    workflowId: string,
    input: unknown,
    options: StartOptions & { readonly executionId: string },
  ) => Promise<unknown>;
  /** @throws what `WorkflowRuntime.cancel` throws. */
  readonly cancel: (key: ExecutionKey, reason: string, options?: WaitOptions) => Promise<unknown>;
}

/**
 * The workflow whose executions are the stored schedules: each sleeps until its next tick, and then
 * starts an execution.
 */
export function scheduleWorkflow(runtime: ScheduleRuntime): WorkflowDefinition {
  const steps = [andRun({ id: 'ticks', run: (context) => runTicks(runtime, context) })];
  return {
    id: scheduleWorkflowId,
    // Nobody takes the ids of its executions, and only operators control them over HTTP.
    access: 'server',
    name: 'Schedules',
    purpose: 'Starts executions at the times of the schedules that the app has stored',
    steps,
    index: indexSteps(scheduleWorkflowId, steps),
    input: undefined,
    result: undefined,
    suspendSchema: undefined,
    resumeSchema: undefined,
    retries: { attempts, delayMs: 500 },
    timeoutMs: undefined,
    hooks: {},
    priority: 0,
    users: {},
    flowControl: {},
    schedules: [],
    isInternal: true,
    versions: [],
    replaces: [],
  };
}

async function runTicks(runtime: ScheduleRuntime, context: CodeContext<unknown>): Promise<void> {
  const { sleepUntil, step } = context;
  const record = toScheduleRecord(context);
  const { rule, state } = record;
  // The process that stored this revision may have died before it ended the others. Their requests
  // are stored, so this need not wait.
  if (!replacesNothing(record)) await step('end-earlier', () => endEarlier(runtime, record, noWait));
  if (state === 'deleted') return;
  if (state === 'paused') return sleepUntil('paused', never);
  const ticks = toTicks(rule);
  let { doneUntil } = record;
  for (let round = 0; round < ticksPerExecution; round += 1) {
    const tick = ticks.next(doneUntil);
    if (tick === undefined) return;
    await sleepUntil(`wait-${round}`, tick);
    const done = await step(`start-${round}`, ({ retryCount }) =>
      startTick(runtime, record, tick, retryCount + 1 === attempts),
    );
    if (done === null) return;
    doneUntil = done;
  }
  await step('continue', () => continueSchedule(runtime, record, doneUntil));
}

async function continueSchedule(runtime: ScheduleRuntime, record: ScheduleRecord, doneUntil: number): Promise<void> {
  if (!(await isCurrent(runtime, record))) return;
  const next = { ...record, revision: record.revision + 1, doneUntil };
  if (await beginRevision(runtime, next)) await endIfDeleted(runtime, record, keyOfRevision(next), noWait);
}

/**
 * Starts the execution of a tick, or of the last one if others have passed meanwhile.
 *
 * @returns the tick that is done with; null when the schedule was changed or deleted.
 */
async function startTick(
  runtime: ScheduleRuntime,
  record: ScheduleRecord,
  tick: number,
  isLastAttempt: boolean,
): Promise<number | null> {
  const { begin, services } = runtime;
  const { id, input, key, options, rule, userId, workflowId } = record;
  if (!(await isCurrent(runtime, record))) return null;
  const last = Math.max(tick, toTicks(rule).last(services.clock.now()) ?? tick);
  const executionId = idOfTick({ workflowId, name: key }, new Date(last));
  const metadata = { ...options.metadata, scheduleId: id, scheduledFor: isoTime(last) };
  try {
    await begin(workflowId, input, { ...options, executionId, metadata, userId });
    if (await endIfDeleted(runtime, record, { owner: 'anyone', workflowId, executionId }, noWait)) return null;
  } catch (error) {
    // It was started before, or its workflow is a singleton.
    if (error instanceof ConflictError) return last;
    if (!isLastAttempt && !(error instanceof InvalidInputError)) throw error;
    const fields = { err: error, workflowId, scheduleId: id, tick: isoTime(last) };
    services.logger.error(fields, 'a scheduled execution could not be started');
  }
  return last;
}

/** Whether this is the newest revision, and was not deleted with the data of its user. */
async function isCurrent(runtime: ScheduleRuntime, record: ScheduleRecord): Promise<boolean> {
  const { key, revision } = record;
  if (!(await isStored(runtime, record))) return false;
  return (await runtime.store.find('anyone', revisionId({ key, revision: revision + 1 }))) === undefined;
}

/** After a deletion, another schedule may have the id. */
async function isStored({ store }: Pick<ScheduleRuntime, 'store'>, record: ScheduleRecord): Promise<boolean> {
  const own = await store.find('anyone', revisionId(record));
  return own !== undefined && isDeepStrictEqual(toScheduleRecord(own), record);
}

/**
 * Ends an execution that was begun for a revision, if the data of the user was deleted meanwhile:
 * it came too late to be deleted, too.
 *
 * @returns whether it did.
 */
export async function endIfDeleted(
  runtime: Pick<ScheduleRuntime, 'cancel' | 'store'>,
  record: ScheduleRecord,
  begun: ExecutionKey,
  options?: WaitOptions,
): Promise<boolean> {
  if (await isStored(runtime, record)) return false;
  await end(runtime, begun, 'The data of the user was deleted', options);
  return true;
}

/**
 * Whether there was nothing to replace: no revision, or only one that continues with this one and
 * ends itself.
 */
function replacesNothing({ doneUntil, revision, setAt, state }: ScheduleRecord): boolean {
  return revision === 1 || (state === 'active' && doneUntil > setAt);
}

/** Ends the earlier revisions, which this one replaces. */
export async function endEarlier(
  runtime: Pick<ScheduleRuntime, 'cancel' | 'store'>,
  { key, revision }: Pick<ScheduleRecord, 'key' | 'revision'>,
  options?: WaitOptions,
): Promise<void> {
  const filter = { workflowId: scheduleWorkflowId, metadata: { scheduleKey: key }, parentExecutionId: null };
  for (const status of ['running', 'suspended'] as const) {
    const page = { ...filter, status, limit: maxOpen, offset: 0, maxTotal: 0 };
    const { executions } = await runtime.store.list('anyone', page);
    for (const earlier of executions.map(toScheduleRecord).filter((each) => each.revision < revision))
      await end(runtime, keyOfRevision(earlier), 'The schedule was changed', options);
  }
}

async function end(
  { cancel }: Pick<ScheduleRuntime, 'cancel'>,
  key: ExecutionKey,
  reason: string,
  options?: WaitOptions,
): Promise<void> {
  try {
    await cancel(key, reason, options);
  } catch (error) {
    // The request is stored, so it ends even if another process takes long.
    if (!(error instanceof HalyardError && endedCodes.has(error.code))) throw error;
  }
}

export function keyOfRevision(record: Pick<ScheduleRecord, 'key' | 'revision'>): ExecutionKey {
  return { owner: 'anyone', workflowId: scheduleWorkflowId, executionId: revisionId(record) };
}

const endedCodes: ReadonlySet<string> = new Set(['EXECUTION_NOT_FOUND', 'EXECUTION_NOT_RUNNING', 'STILL_RUNNING']);

/** Stores a revision. @returns false if there is one with this number. */
export async function beginRevision({ begin }: ScheduleRuntime, record: ScheduleRecord): Promise<boolean> {
  const { key, userId } = record;
  try {
    await begin(scheduleWorkflowId, record, {
      executionId: revisionId(record),
      userId,
      metadata: { scheduleKey: key },
    });
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}
