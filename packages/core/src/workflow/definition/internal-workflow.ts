import { indexSteps } from './step-index.ts';
import type { AnyStep } from './step.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/** A workflow of the framework: no request may choose its input, so none can start or replay it. */
export function internalWorkflow(
  id: string,
  steps: readonly AnyStep[],
  options: Pick<WorkflowDefinition, 'access' | 'name'> & Partial<Pick<WorkflowDefinition, 'purpose' | 'retries'>>,
): WorkflowDefinition {
  return {
    id,
    steps,
    index: indexSteps(id, steps),
    isInternal: true,
    input: undefined,
    result: undefined,
    suspendSchema: undefined,
    resumeSchema: undefined,
    purpose: '',
    retries: {},
    timeoutMs: undefined,
    hooks: {},
    priority: 0,
    users: {},
    flowControl: {},
    schedules: [],
    versions: [],
    replaces: [],
    ...options,
  };
}
