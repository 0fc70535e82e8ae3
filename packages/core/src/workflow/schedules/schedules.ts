import { isDeepStrictEqual } from 'node:util';
import { type Execution, InvalidInputError, isExternalId, NotFoundError, type OptionNames } from '@halyard/contracts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptJson } from '../engine/accept-json.ts';
import { acceptFields, acceptInput, acceptTiming } from '../engine/accept-start.ts';
import { listExecutions, type ListOptions } from '../engine/list-executions.ts';
import { isOpen } from '../follow/is-idle.ts';
import { continuedFrom } from '../interpreter/step/continue-as-new.ts';
import {
  toScheduleKey,
  toScheduleRecord,
  revisionId,
  type ScheduleRecord,
  scheduleWorkflowId,
} from './schedule-record.ts';
import { acceptRule } from './schedule-rule.ts';
import {
  beginRevision,
  endEarlier,
  endIfDeleted,
  keyOfRevision,
  type ScheduleRuntime,
  scheduleWorkflow,
} from './schedule-workflow.ts';
import { describeSchedule, type ScheduleKey, type ScheduleSettings, type StoredSchedule } from './stored-schedule.ts';

const scheduleId = /^[A-Za-z0-9_.:-]{1,128}$/;
/** The newest revisions of a schedule, if storages have different clocks. */
const newestRevisions = 10;

/** Which schedules a list contains. */
export interface ScheduleListOptions extends Pick<ListOptions, 'limit' | 'owner'> {
  /** `next` of the previous page. */
  readonly after?: string | undefined;
}

export interface SchedulePage {
  /** Schedules that were set last come first. */
  readonly schedules: readonly StoredSchedule[];
  /** For `after`, if others may follow. */
  readonly next?: string;
}

export interface SchedulesOptions extends ScheduleRuntime {
  readonly workflowOf: (workflowId: string) => WorkflowDefinition | undefined;
}

const names: OptionNames<ScheduleSettings> = {
  context: true,
  conversationId: true,
  cron: true,
  everyMs: true,
  id: true,
  input: true,
  metadata: true,
  priority: true,
  timeZone: true,
  userId: true,
  workflowId: true,
};

/**
 * Schedules that code stores while the app runs, each for a user or for no one. They survive
 * restarts, and each tick starts one execution, however many processes there are. Ticks that pass
 * while no process runs start one execution, as soon as one does.
 *
 * A schedule is an execution of an internal workflow that belongs to its user. So it is exported
 * and deleted with the data of the user.
 */
export class Schedules {
  /** Its executions are the schedules. The runtime has it. */
  readonly workflow: WorkflowDefinition;
  readonly #options: SchedulesOptions;

  constructor(options: SchedulesOptions) {
    this.#options = options;
    this.workflow = scheduleWorkflow(options);
  }

  /**
   * Stores a schedule, or replaces the one with the same id and user. A paused one continues.
   * Nothing changes if all settings are the same and it is not paused: an app can call this at each
   * start.
   *
   * @throws InvalidInputError for an unknown or invalid setting, and an input that the workflow
   * does not accept; NotFoundError for an unknown workflow; UnavailableError
   */
  async set(settings: ScheduleSettings): Promise<StoredSchedule> {
    const accepted = await this.#accept(settings);
    const stored = await this.#change(accepted, (current) => {
      const rule = current !== undefined && isSameInterval(current, accepted) ? current.rule : accepted.rule;
      const wanted = { ...accepted, rule };
      return current !== undefined && isSame(current, wanted) ? undefined : wanted;
    });
    return this.#describe(stored, accepted.id);
  }

  /** @throws NotFoundError */
  async get(key: ScheduleKey): Promise<StoredSchedule> {
    const { current } = await this.#last(toScheduleKey(key));
    return this.#describe(current, key.id);
  }

  /** A page of the schedules of an owner: of one user, or of `anyone`. @throws InvalidInputError */
  async list({ after, limit, owner }: ScheduleListOptions): Promise<SchedulePage> {
    const { executions, hasMore } = await listExecutions(this.#options.store, {
      owner,
      workflowId: scheduleWorkflowId,
      status: 'running',
      ...(after !== undefined && { after }),
      ...(limit !== undefined && { limit }),
    });
    const last = executions.at(-1);
    // While a schedule is changed, two revisions run.
    const newest = new Map(
      executions
        .map(toScheduleRecord)
        .toReversed()
        .map((record) => [record.key, record]),
    );
    return {
      schedules: [...newest.values()]
        .toReversed()
        .filter(({ state }) => state !== 'deleted')
        .map((record) => this.#describe(record, record.id)),
      ...(hasMore && last !== undefined && { next: last.id }),
    };
  }

  /**
   * Starts nothing until the schedule is resumed or set again. Ticks until then are left out.
   * @throws NotFoundError, UnavailableError
   */
  async pause(key: ScheduleKey): Promise<StoredSchedule> {
    return this.#setState(key, 'paused');
  }

  /** Lets a paused schedule continue with its next tick. @throws NotFoundError, UnavailableError */
  async resume(key: ScheduleKey): Promise<StoredSchedule> {
    return this.#setState(key, 'active');
  }

  /**
   * Removes a schedule. Executions that it has started continue. @returns whether there was one.
   * @throws UnavailableError
   */
  async delete(key: ScheduleKey): Promise<boolean> {
    let existed = false;
    await this.#change({ key: toScheduleKey(key) }, (current) => {
      existed ||= current !== undefined;
      return current === undefined ? undefined : { ...current, state: 'deleted' };
    });
    return existed;
  }

  async #setState(key: ScheduleKey, state: 'active' | 'paused'): Promise<StoredSchedule> {
    const now = this.#options.services.clock.now();
    const stored = await this.#change(
      { key: toScheduleKey(key) },
      (current) =>
        current === undefined || current.state === state
          ? undefined
          : { ...current, state, setAt: now, doneUntil: now },
      { needsCurrent: true },
    );
    return this.#describe(stored, key.id);
  }

  /**
   * Stores the next revision, and ends the current one. If the process dies before that, the next
   * one does it. If somebody else was first, `change` is called again.
   *
   * @param change returns undefined when nothing is to be changed.
   * @param options `needsCurrent`: the new revision ends if the current one was deleted meanwhile
   * with the data of its user.
   * @returns the newest revision; undefined without one.
   */
  async #change(
    { key }: Pick<ScheduleRecord, 'key'>,
    change: (current: ScheduleRecord | undefined) => Omit<ScheduleRecord, 'revision'> | undefined,
    { needsCurrent = false }: { readonly needsCurrent?: boolean } = {},
  ): Promise<ScheduleRecord | undefined> {
    for (;;) {
      const { current, revision } = await this.#last(key);
      const wanted = change(current);
      const changed = wanted === undefined ? undefined : { ...wanted, revision: revision + 1 };
      if (changed !== undefined && !(await beginRevision(this.#options, changed))) continue;
      if (needsCurrent && changed !== undefined && current !== undefined) {
        if (await endIfDeleted(this.#options, current, keyOfRevision(changed))) continue;
      }
      if (changed !== undefined && current !== undefined) await endEarlier(this.#options, changed);
      return changed ?? current;
    }
  }

  /** The newest revision; without `current` if the schedule does not exist, or has ended. */
  async #last(key: string): Promise<{ readonly revision: number; readonly current?: ScheduleRecord }> {
    const { store } = this.#options;
    const filter = { workflowId: scheduleWorkflowId, metadata: { scheduleKey: key }, parentExecutionId: null };
    const { executions } = await store.list('anyone', { ...filter, limit: newestRevisions, offset: 0, maxTotal: 0 });
    let last: Execution | undefined = executions.toSorted((one, other) => readRevision(other) - readRevision(one))[0];
    for (;;) {
      const revision = last === undefined ? 0 : readRevision(last);
      const next = await store.find('anyone', revisionId({ key, revision: revision + 1 }));
      if (next !== undefined) last = next;
      else if (last === undefined || !isOpen(last) || toScheduleRecord(last).state === 'deleted') return { revision };
      else return { revision, current: toScheduleRecord(last) };
    }
  }

  /** @throws NotFoundError */
  #describe(record: ScheduleRecord | undefined, id: string): StoredSchedule {
    if (record === undefined) throw new NotFoundError('schedule', id);
    return describeSchedule(record, this.#options.services.clock.now());
  }

  /** @throws InvalidInputError, NotFoundError */
  async #accept(settings: ScheduleSettings): Promise<Omit<ScheduleRecord, 'revision'>> {
    const {
      context,
      conversationId,
      id,
      input = {},
      metadata,
      priority,
      userId,
      workflowId,
      ...others
    } = {
      ...settings,
    };
    for (const [name, value] of Object.entries({ ...settings }))
      if (value !== undefined && !Object.hasOwn(names, name))
        throw new InvalidInputError(`${name} is not a setting of a schedule`);
    if (typeof id !== 'string' || !scheduleId.test(id))
      throw new InvalidInputError(`id must match ${scheduleId.source}`);
    if (userId !== undefined && (typeof userId !== 'string' || !isExternalId(userId)))
      throw new InvalidInputError('userId must be a text of 1 to 256 characters without control characters');
    if (conversationId !== undefined && (typeof conversationId !== 'string' || !scheduleId.test(conversationId)))
      throw new InvalidInputError(`conversationId must match ${scheduleId.source}`);
    const workflow = this.#options.workflowOf(workflowId);
    if (workflow === undefined || workflow.isInternal === true) throw new NotFoundError('workflow', workflowId);
    const now = this.#options.services.clock.now();
    const rule = acceptRule(others, now);
    acceptTiming({ priority }, workflow.flowControl);
    const json = acceptJson(input, 'input is');
    await acceptInput(workflow.input, json, 'input');
    const accepted = acceptFields(metadata, 'metadata');
    if (Object.hasOwn(accepted, continuedFrom)) throw new InvalidInputError(`metadata/${continuedFrom} is reserved`);
    return {
      key: toScheduleKey({ id, userId }),
      state: 'active',
      id,
      ...(userId !== undefined && { userId }),
      workflowId,
      rule,
      input: json,
      options: {
        ...(context !== undefined && { context: acceptFields(context, 'context') }),
        ...(conversationId !== undefined && { conversationId }),
        ...(metadata !== undefined && { metadata: accepted }),
        ...(priority !== undefined && { priority }),
      },
      setAt: now,
      doneUntil: now,
    };
  }
}

function readRevision(execution: Execution): number {
  return toScheduleRecord(execution).revision;
}

function isSameInterval({ rule }: ScheduleRecord, { rule: other }: Pick<ScheduleRecord, 'rule'>): boolean {
  return 'everyMs' in rule && 'everyMs' in other && rule.everyMs === other.everyMs;
}

function isSame(one: Omit<ScheduleRecord, 'revision'>, other: Omit<ScheduleRecord, 'revision'>): boolean {
  const settingsOf = ({ id, input, options, rule, state, userId, workflowId }: typeof one): unknown => ({
    id,
    input,
    options,
    rule,
    state,
    userId,
    workflowId,
  });
  return isDeepStrictEqual(settingsOf(one), settingsOf(other));
}
