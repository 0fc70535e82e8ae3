import { ConfigurationError } from '@halyard/contracts';
import type { WorkflowRuntimeOptions } from './runtime-options.ts';

/** @throws ConfigurationError without workflows or a storage. */
export function checkRuntimeOptions(options: WorkflowRuntimeOptions): void {
  // Callers without a compiler can leave them out.
  const { storage, workflows }: Partial<WorkflowRuntimeOptions> = options;
  if (!Array.isArray(workflows)) throw new ConfigurationError('WorkflowRuntime needs the option `workflows`, a list');
  if (storage?.executions === undefined)
    throw new ConfigurationError(
      'WorkflowRuntime needs the option `storage`, such as the result of createInMemoryStorage or createPostgresStorage',
    );
}
