import {
  ConflictError,
  type CreateOutcome,
  type ExecutionDriver,
  type ExecutionLog,
  HalyardError,
  type NewExecutionEvent,
  subjectForUser,
} from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import type { DefinitionIds } from '../definition/definition-ids.ts';
import { runOrder, startRules, supersedes } from '../definition/flow-control.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptExecutionId } from '../reserved-execution-id.ts';
import { initialStateEntries } from '../rewind/journaled-state.ts';
import { withTrace } from '../spans/workflow-traces.ts';
import type { WorkflowTraces } from '../spans/workflow-traces.ts';
import { acceptJson } from './accept-json.ts';
import { acceptInput, acceptTiming, startEvent, startFields } from './accept-start.ts';
import { checkSizes } from './check-sizes.ts';
import type { Creation } from './creation.ts';
import type { BeginOptions } from './runtime-options.ts';

interface BeginDependencies {
  readonly store: ExecutionLog;
  readonly services: AgentServices;
  readonly driver: ExecutionDriver;
  readonly definitions: DefinitionIds;
  /** Undefined when tracing is off. */
  readonly traces: WorkflowTraces | undefined;
  /** All workflows, to which ids of executions may belong. */
  readonly workflows: readonly WorkflowDefinition[];
  /** How many executions of a subject may wait for a slot, of each workflow. Default: unlimited. */
  readonly maxWaiting?: number;
}

/**
 * Creates an execution.
 *
 * @param at the name of the input in error messages.
 * @returns its first event.
 * @throws InvalidInputError, ConflictError (`EXECUTION_EXISTS`, `EXECUTION_SKIPPED`), HalyardError
 * (`TOO_MANY_EXECUTIONS`)
 */
export async function beginExecution(
  { definitions, driver, maxWaiting = Infinity, services, store, traces, workflows }: BeginDependencies,
  workflow: WorkflowDefinition,
  {
    at,
    creation: { creationId, id: executionId },
    input,
    options,
  }: { readonly creation: Creation; readonly input: unknown; readonly options: BeginOptions; readonly at: string },
): Promise<NewExecutionEvent> {
  const workflowId = workflow.id;
  if (options.executionId !== undefined) acceptExecutionId(options.executionId, workflow, workflows);
  const { priority, startAfterMs = 0 } = acceptTiming(options, workflow.flowControl);
  const accepted = await acceptInput(workflow.input, acceptJson(input, `${at} is`), at);
  const now = services.clock.now();
  const event = startEvent(workflowId, accepted, now);
  const fields = startFields(options);
  checkSizes(
    { [at]: accepted, context: fields.context, metadata: fields.metadata, workflowState: fields.workflowState },
    services,
  );
  const start = { input: accepted, context: fields.context, userId: fields.userId };
  const order = runOrder(workflow, start, priority);
  const rules = startRules(workflow, start, options.isContinuation === true);
  const execution = { id: executionId, workflowId, workflowName: workflow.name, input: accepted, ...fields };
  const subject = options.subject ?? subjectForUser(fields.userId);
  const begun = traces?.start(execution, { parent: options.traceParent, startTime: now });
  try {
    const outcome = await driver.create(
      { ...execution, metadata: withTrace(fields.metadata, begun), events: [event] },
      {
        definition: definitions.of(workflow),
        requestId: creationId,
        journal: initialStateEntries(executionId, fields.workflowState, now),
        subject,
        ...order,
        ...rules,
        ...(startAfterMs > 0 && { dueInMs: startAfterMs }),
        ...(maxWaiting !== Infinity && options.isContinuation !== true && { maxWaiting }),
      },
      () => begun && traces?.addPending(executionId, begun, now),
    );
    checkCreated(outcome, execution);
  } catch (error) {
    begun?.span.end({ error });
    throw error;
  }
  if (supersedes(workflow.flowControl) && options.isContinuation !== true)
    await supersedeBy(executionId, { driver, services, store });
  return event;
}

/** @throws ConflictError */
function checkCreated(
  outcome: CreateOutcome,
  { id, workflowId }: { readonly id: string; readonly workflowId: string },
): void {
  if (outcome === 'skipped')
    throw new ConflictError(
      'EXECUTION_SKIPPED',
      `Not started: an execution of workflow "${workflowId}" with the same singleton key has not ended`,
    );
  if (outcome === 'full')
    throw new HalyardError(
      'rate-limited',
      'TOO_MANY_EXECUTIONS',
      'Too many of your executions are waiting to run: wait until some have ended',
    );
  if (outcome === 'taken') throw new ConflictError('EXECUTION_EXISTS', `Execution id is taken: ${id}`);
}

/** Cancels the executions that a new one replaces. Never rejects. */
async function supersedeBy(
  executionId: string,
  { driver, services, store }: Pick<BeginDependencies, 'driver' | 'services' | 'store'>,
): Promise<void> {
  try {
    const superseded = await store.supersede(executionId, 'A newer execution replaced it');
    for (const job of superseded) void driver.signal(job, { isUrgent: true });
  } catch (error) {
    services.logger.warn({ err: error, executionId }, 'the executions that a new one replaces could not be cancelled');
  }
}
