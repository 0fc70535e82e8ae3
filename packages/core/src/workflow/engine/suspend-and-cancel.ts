import {
  type Execution,
  type ExecutionRequest,
  type ExecutionLog,
  InvalidInputError,
  NotFoundError,
  UnavailableError,
} from '@halyard/contracts';
import { isOpen } from '../follow/is-idle.ts';
import type { ExecutionKey, WaitOptions } from './runtime-options.ts';
import { findRoot, type TerminateDependencies, terminateTree } from './terminate-tree.ts';
import type { WorkflowRuntime } from './workflow-runtime.ts';

/** The dependencies of suspending and cancelling executions. */
export interface StopDependencies {
  readonly store: Pick<ExecutionLog, 'request'>;
  readonly runtime: Pick<WorkflowRuntime, 'get' | 'wait'>;
  /** Tells the runner of an execution that there is a request. */
  readonly signal: (execution: Execution) => Promise<void>;
  readonly terminate: TerminateDependencies;
}

/**
 * Suspends an execution at the next boundary of its steps. @throws what
 * {@link WorkflowRuntime.suspend} throws.
 */
export async function suspendExecution(
  dependencies: StopDependencies,
  key: ExecutionKey,
  reason = 'Suspended on request',
  timeoutMs: number,
): Promise<Execution> {
  const before = await dependencies.runtime.get(key);
  if (before.status !== 'running') throw notRunning(before);
  await sendRequest(dependencies, key, before, { kind: 'suspend', reason });
  await dependencies.runtime.wait(key, { timeoutMs });
  const after = await dependencies.runtime.get(key);
  if (after.status === 'running') throw stillRunning(key);
  if (after.status !== 'suspended') throw notRunning(after);
  return after;
}

/**
 * Cancels an execution, and waits until it has ended. An execution that no process can run ends
 * when the wait is over, without compensation. @throws the errors of {@link
 * WorkflowRuntime.cancel}.
 */
export async function cancelExecution(
  dependencies: StopDependencies,
  key: ExecutionKey,
  reason = 'Cancelled on request',
  options: WaitOptions & { readonly timeoutMs: number },
): Promise<Execution> {
  const before = await dependencies.runtime.get(key);
  if (!isOpen(before)) throw notRunning(before);
  await sendRequest(dependencies, key, before, { kind: 'cancel', reason });
  const after = await untilEnded(dependencies, key, options).catch(async (error: unknown) => {
    // A process with its steps may have been starting meanwhile: it would have compensated them.
    const { terminate } = dependencies;
    const root = await findRoot(terminate.store, before);
    if (await terminate.driver.canRun(root.definition)) throw error;
    await terminateTree(terminate, key.owner, root, reason);
    return dependencies.runtime.get(key);
  });
  if (after.status !== 'cancelled') throw notRunning(after);
  return after;
}

/**
 * Ends an execution at once, without compensation. @throws what {@link WorkflowRuntime.terminate}
 * throws.
 */
export async function terminateExecution(
  { runtime, terminate }: Pick<StopDependencies, 'runtime' | 'terminate'>,
  key: ExecutionKey,
  reason = 'Terminated on request',
): Promise<Execution> {
  const before = await runtime.get(key);
  if (!isOpen(before)) throw notRunning(before);
  await terminateTree(terminate, key.owner, await findRoot(terminate.store, before), reason);
  const after = await runtime.get(key);
  if (after.status !== 'cancelled') throw notRunning(after);
  return after;
}

async function sendRequest(
  { signal, store }: StopDependencies,
  { executionId, owner }: ExecutionKey,
  execution: Execution,
  request: ExecutionRequest,
): Promise<void> {
  const outcome = await store.request(owner, execution.rootExecutionId, request);
  if (outcome === 'not-found') throw new NotFoundError('execution', executionId);
  if (outcome === 'idle') throw notRunning(execution);
  await signal(execution);
}

async function untilEnded(
  { runtime }: StopDependencies,
  key: ExecutionKey,
  options: WaitOptions & { readonly timeoutMs: number },
): Promise<Execution> {
  // Until it has ended, not until it is idle: a suspended execution is idle before its request is
  // carried out.
  await runtime.wait(key, { ...options, until: 'ended' });
  const execution = await runtime.get(key);
  if (isOpen(execution)) throw stillRunning(key);
  return execution;
}

function stillRunning({ executionId }: ExecutionKey): UnavailableError {
  return new UnavailableError('STILL_RUNNING', `Execution has not stopped yet: ${executionId}`);
}

function notRunning({ id, status }: Execution): InvalidInputError {
  return new InvalidInputError(`Execution has the status "${status}": ${id}`, { code: 'EXECUTION_NOT_RUNNING' });
}
