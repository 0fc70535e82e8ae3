import {
  type Execution,
  type ExecutionStore,
  type Ids,
  type JsonValue,
  NotFoundError,
  type Owner,
} from '@halyard/contracts';
import type { ReplayOptions, WaitOptions } from '@halyard/core';
import { type AgentServices, isFrameworkWorkflow, type WorkflowDefinition } from '@halyard/core/server';
import type { BulkOperationsOptions } from '../../../../packages/core/src/workflow/bulk/bulk-operations.ts';
import type { Executor } from '../../../../packages/core/src/workflow/engine/driver/executor.ts';
import { cancelExecution } from '../../../../packages/core/src/workflow/engine/suspend-and-cancel.ts';
import { IdleWait } from '../../../../packages/core/src/workflow/follow/wait-until-idle.ts';
import { createReplay, replayFields } from '../../../../packages/core/src/workflow/rewind/replay.ts';

interface ReplayParts {
  readonly executor: Executor;
  readonly store: ExecutionStore;
  readonly services: AgentServices;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
}

interface BulkParts extends Pick<ReplayParts, 'services' | 'store'> {
  readonly executor: () => Executor;
  readonly workflows: () => ReadonlyMap<string, WorkflowDefinition>;
  readonly begin: (executionId: string, input: JsonValue) => Promise<void>;
  /** A signal that aborts when this time has passed. */
  readonly timeout: (ms: number) => AbortSignal;
}

/** Bulk operations of a simulated process, connected to its parts as the runtime connects them. */
export function bulkOptions({
  begin,
  executor,
  services,
  store,
  timeout,
  workflows,
}: BulkParts): BulkOperationsOptions {
  const { clock, ids } = services;
  const get = async ({ executionId, owner }: { readonly executionId: string; readonly owner: Owner }) => {
    const execution = await store.find(owner, executionId);
    if (execution === undefined) throw new NotFoundError('execution', executionId);
    return execution;
  };
  const wait = async (
    { executionId, owner }: { readonly executionId: string; readonly owner: Owner },
    { signal, timeoutMs, ...until }: WaitOptions = {},
  ) => {
    const ends = [signal, timeoutMs === undefined ? undefined : timeout(timeoutMs)].filter((end) => end !== undefined);
    const driver = executor();
    const options = { store, driver, waiters: driver.waiters, owner, executionId, workflows: workflows() };
    const idle = new IdleWait(options);
    return idle.result({ ...until, signal: AbortSignal.any(ends) }).finally(() => idle.stop());
  };
  return {
    store,
    ids,
    services,
    frameworkWorkflowIds: () => [...workflows().keys()].filter(isFrameworkWorkflow),
    now: () => clock.now(),
    wait,
    begin,
    cancel: (key, reason, options) =>
      cancelExecution(
        {
          store,
          runtime: { get, wait },
          signal: ({ id, workflowId }) => executor().signal({ executionId: id, workflowId }, { isUrgent: true }),
          terminate: { store, services, driver: executor() },
        },
        key,
        reason,
        { timeoutMs: 10_000, ...options },
      ),
    replay: async (owner, execution, options, id) => {
      const parts = { executor: executor(), store, services, workflows: workflows() };
      await replayInSimulation(parts, owner, { execution, ids: { next: () => id } }, options);
    },
    signal: (job) => executor().signal(job),
    workflowOf: ({ workflowId }) => workflows().get(workflowId),
  };
}

/**
 * Replays an execution in a simulated process. @returns the id of the new execution. @throws what
 * the runtime throws.
 */
export async function replayInSimulation(
  { executor, services, store, workflows }: ReplayParts,
  owner: Owner,
  { execution, ids }: { readonly execution: Execution; readonly ids: Ids },
  options: ReplayOptions,
): Promise<string> {
  const workflow = workflows.get(execution.workflowId);
  if (workflow === undefined) throw new NotFoundError('workflow', execution.workflowId);
  const parts = { store, driver: executor, services, ids, now: () => services.clock.now(), traces: undefined };
  const from = { execution, workflow, rootWorkflow: workflow, definition: executor.definitions.of(workflow) };
  return createReplay(parts, owner, from, options, replayFields);
}
