import {
  type Execution,
  type ExecutionDriver,
  type ExecutionLog,
  type Ids,
  InvalidInputError,
  type JournalEntry,
  type JsonObject,
  type JsonValue,
  type Owner,
  subjectForUser,
} from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import { runOrder } from '../definition/flow-control.ts';
import { decisionPath, isInside, ownPlace, type Place, records, toSegments } from '../definition/place.ts';
import { findStep } from '../definition/step-index.ts';
import type { AnyStep } from '../definition/step.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptJson } from '../engine/accept-json.ts';
import { acceptFields, acceptInput, startEvent } from '../engine/accept-start.ts';
import { checkSizes } from '../engine/check-sizes.ts';
import type { ReplayOptions } from '../engine/runtime-options.ts';
import { endingPath } from '../interpreter/compensation/recorded-ending.ts';
import { acceptStepResumeData } from '../interpreter/waits/accept-resume-data.ts';
import { checkEventData, checkReplacedOutput } from '../interpreter/waits/check-event-resumption.ts';
import { withTrace, withoutTrace, type WorkflowTraces } from '../spans/workflow-traces.ts';
import { checkAllowed } from './check-allowed.ts';
import { copyEntry, rewoundState } from './journaled-state.ts';
import { type FieldNames, isDeleted, planRewind, stateRewinds } from './rewind.ts';

/** How errors name the fields of a request to replay. */
export interface ReplayFieldNames extends FieldNames {
  readonly inputData: string;
}

/** The names in TypeScript. */
export const replayFields: ReplayFieldNames = { inputData: 'inputData', resumeData: 'resumeData', stepId: 'stepId' };

/** The start of a replay. */
interface ReplayPlan {
  /** The path of the step that runs first. */
  readonly path: string;
  readonly input: JsonValue;
  readonly journal: readonly JournalEntry[];
  readonly workflowState: JsonObject;
}

interface ReplayDependencies {
  readonly store: ExecutionLog;
  readonly driver: Pick<ExecutionDriver, 'create'>;
  readonly services: Pick<AgentServices, 'executionValueBytes'>;
  readonly ids: Ids;
  readonly now: () => number;
  readonly traces: WorkflowTraces | undefined;
}

/** The execution that is replayed, and the workflow with which the new one runs. */
interface ReplaySource {
  readonly execution: Execution;
  readonly workflow: WorkflowDefinition;
}

/**
 * Creates an execution that starts at a step of another one, with the records before that step, and
 * its input, context, state and metadata. Steps receive the user of the request, if it has one.
 *
 * @returns its id.
 * @throws InvalidInputError for a step that the other has not reached, or data that does not fit;
 * HalyardError (`OPERATION_NOT_ALLOWED`).
 */
export async function createReplay(
  dependencies: ReplayDependencies,
  owner: Owner,
  {
    definition,
    execution,
    rootWorkflow,
    workflow,
  }: ReplaySource & { readonly definition: string; readonly rootWorkflow: WorkflowDefinition | undefined },
  // Callers without a compiler can leave out the options.
  options: Partial<ReplayOptions> = {},
  names: ReplayFieldNames,
): Promise<string> {
  const { driver, ids, now, traces } = dependencies;
  const { inputData, requestedBy, resumedBy, stepId = '', user } = options;
  const isOfUser = requestedBy === 'user';
  checkAllowed('replay', rootWorkflow, requestedBy);
  checkAllowed('replay', workflow, requestedBy);
  checkEventData(workflow, { stepId, data: options.resumeData }, isOfUser);
  const before = stepBefore(workflow, stepId);
  if (inputData !== undefined && before !== undefined) checkReplacedOutput(before, isOfUser);
  const { data, plan } = await acceptReplay(dependencies, owner, { execution, workflow }, options, names);
  const id = ids.next();
  const { context, conversationId, metadata, userId, workflowName } = execution;
  const { input } = plan;
  const replay = { id, workflowId: workflow.id, workflowName, input, userId, conversationId };
  const started = traces?.startReplay(replay, execution);
  try {
    await driver.create(
      {
        ...replay,
        context,
        workflowState: plan.workflowState,
        metadata: withTrace({ ...withoutTrace(metadata), replayedFrom: execution.id }, started),
        user: user === undefined ? execution.user : acceptFields(user, 'user'),
        events: [startEvent(workflow.id, input, now())],
      },
      {
        requestId: ids.next(),
        subject: subjectForUser(userId),
        definition,
        ...runOrder(workflow, { input, context, userId }),
        journal: plan.journal.map((entry) => copyEntry(id, entry)),
        ...(data !== undefined && {
          resumptions: [{ path: plan.path, suspensionId: '', data, ...(resumedBy !== undefined && { resumedBy }) }],
        }),
      },
      () => started && traces?.addPending(id, started),
    );
  } catch (error) {
    started?.span.end({ error });
    throw error;
  }
  return id;
}

/**
 * Checks the options of a replay.
 *
 * @returns its start, and the resume data of its first step.
 * @throws InvalidInputError for a step that the execution has not reached, or data that does not
 * fit.
 */
export async function acceptReplay(
  { services, store }: Pick<ReplayDependencies, 'services' | 'store'>,
  owner: Owner,
  { execution, workflow }: ReplaySource,
  { inputData, resumeData, stepId }: Partial<ReplayOptions>,
  names: ReplayFieldNames,
): Promise<{ readonly plan: ReplayPlan; readonly data: JsonValue | undefined }> {
  if (stepId === undefined) throw new InvalidInputError(`${names.stepId} is missing: the step to replay from`);
  const replaced =
    inputData === undefined ? undefined : await acceptInputData(workflow, stepId, inputData, names.inputData);
  if (replaced !== undefined) checkSizes({ [names.inputData]: replaced }, services);
  const journal = await store.journal(owner, execution.rootExecutionId);
  const plan = planReplay(workflow, execution, journal, { stepId, inputData: replaced });
  if (plan === undefined)
    throw new InvalidInputError(`${names.stepId} names no step that the execution has reached: ${stepId}`);
  if (resumeData === undefined) return { plan, data: undefined };
  const json = acceptJson(resumeData, `${names.resumeData} is`);
  checkSizes({ [names.resumeData]: json }, services);
  return { plan, data: await acceptStepResumeData(workflow, stepId, json, names.resumeData) };
}

/**
 * The replacement for the data of a step. It is checked like the data that it replaces: the input
 * of the workflow, or the output of the step before.
 *
 * @throws InvalidInputError naming the field; its path starts with `at`.
 */
async function acceptInputData(
  workflow: WorkflowDefinition,
  stepId: string,
  inputData: unknown,
  at: string,
): Promise<JsonValue> {
  const before = stepBefore(workflow, stepId);
  return acceptInput(before === undefined ? workflow.input : before.output, acceptJson(inputData, `${at} is`), at);
}

/** @returns undefined when the execution has not reached the step. */
function planReplay(
  workflow: WorkflowDefinition,
  execution: Execution,
  rootJournal: readonly JournalEntry[],
  { inputData, stepId }: { readonly stepId: string; readonly inputData: JsonValue | undefined },
): ReplayPlan | undefined {
  const plan = planRewind(workflow, execution, [...rootJournal, ...suspendedSteps(execution)], stepId);
  if (plan === undefined) return undefined;
  const { path } = execution;
  const copied = rootJournal.filter(
    (entry) =>
      isInside(entry.path, path) &&
      // The replay runs on, even if this execution ended early.
      entry.path !== decisionPath('', 'bail') &&
      // In the replay, a step counts as finished even if it was undone here.
      !records(entry, 'compensate') &&
      entry.path !== endingPath &&
      !isDeleted(entry.path, plan) &&
      !isInsideSubWorkflow(workflow, ownPlace(entry.path, path)),
  );
  const before = stepBefore(workflow, stepId);
  const output = inputData === undefined ? undefined : { output: inputData };
  const stateRewind = stateRewinds(rootJournal, plan).find(({ id }) => id === execution.id);
  return {
    path: ownPlace(plan.path, path),
    input: before === undefined && inputData !== undefined ? inputData : execution.input,
    journal: copied.map((entry) => {
      const own = { ...entry, path: ownPlace(entry.path, path) };
      return own.path === before?.id ? { ...own, ...output } : own;
    }),
    workflowState:
      stateRewind === undefined ? execution.workflowState : rewoundState(execution.workflowState, stateRewind),
  };
}

/** The execution has reached suspended steps too, although the journal has no entry for them. */
function suspendedSteps({ suspensions }: Execution): readonly JournalEntry[] {
  return suspensions.map(({ path, suspendedAt }) => {
    const times = { startedAt: suspendedAt, endedAt: suspendedAt };
    return { path, type: 'andThen', status: 'success', output: null, attempts: 1, ...times };
  });
}

/** The top-level step before the step or the step around it. */
function stepBefore(workflow: WorkflowDefinition, stepId: string): AnyStep | undefined {
  const { stepIndex = 0 } = findStep(workflow.index, stepId) ?? {};
  return workflow.steps[stepIndex - 1];
}

/** The replay has no such sub-workflow: the output of its step is enough. */
function isInsideSubWorkflow({ index }: WorkflowDefinition, place: Place): boolean {
  return toSegments(place).some(({ id, path }) => path !== place && index.get(id)?.step.workflow !== undefined);
}
