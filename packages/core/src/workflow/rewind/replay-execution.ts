import {
  type Execution,
  type ExecutionDriver,
  type ExecutionLog,
  type Ids,
  NotFoundError,
  type Owner,
} from '@halyard/contracts';
import type { AgentServices } from '../../agent/agent-services.ts';
import type { DefinitionIds } from '../definition/definition-ids.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import type { ReplayOptions } from '../engine/runtime-options.ts';
import type { WorkflowTraces } from '../spans/workflow-traces.ts';
import { createReplay, type ReplayFieldNames } from './replay.ts';

interface ReplayDependencies {
  readonly store: ExecutionLog;
  readonly services: AgentServices;
  readonly driver: Pick<ExecutionDriver, 'create'>;
  readonly definitions: DefinitionIds;
  readonly traces: WorkflowTraces | undefined;
  readonly workflowOf: (executionId: string) => Promise<WorkflowDefinition | undefined>;
  readonly workflowOfRun: (execution: Execution) => WorkflowDefinition;
}

/**
 * Creates a replay of an execution.
 *
 * @param names of the fields in errors; `ids`: gives the id of the new execution.
 * @returns its id.
 * @throws what `createReplay` throws; NotFoundError for an internal workflow, whose input no
 * request may choose.
 */
export async function replayExecution(
  { definitions, driver, services, store, traces, workflowOf, workflowOfRun }: ReplayDependencies,
  owner: Owner,
  execution: Execution,
  options: ReplayOptions,
  { at, ids }: { readonly at: ReplayFieldNames; readonly ids: Ids },
): Promise<string> {
  const workflow = workflowOfRun(execution);
  if (workflow.isInternal === true) throw new NotFoundError('workflow', workflow.id);
  const parts = { store, driver, services, ids, now: () => services.clock.now(), traces };
  const definition = definitions.of(workflow);
  const rootWorkflow = await workflowOf(execution.rootExecutionId);
  const source = { execution, workflow, rootWorkflow, definition };
  return createReplay(parts, owner, source, options, at);
}
