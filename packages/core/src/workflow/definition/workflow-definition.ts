import type { CompiledSchema } from '../../schema/compile-schema.ts';
import type { AccessLevel } from '../../tool/access-level.ts';
import { byId } from './by-id.ts';
import type { FlowControl } from './flow-control.ts';
import type { StepIndex } from './step-index.ts';
import type { AnyStep, StepRetries } from './step.ts';
import type { UserOperations } from './user-operations.ts';
import type { WorkflowHooks } from './workflow-hooks.ts';
import type { WorkflowSchedule } from './workflow-schedule.ts';

/** The type that a workflow carries when the output of its last step fits its `result`. */
export type ResultFits = 'The output of the last step fits the `result` of the workflow';

/** A workflow as the runtime sees it. */
export interface WorkflowDefinition {
  readonly id: string;
  /** The callers that may start it and control its executions from outside. */
  readonly access: AccessLevel;
  readonly name: string;
  readonly purpose: string;
  readonly steps: readonly AnyStep[];
  readonly input: CompiledSchema<unknown> | undefined;
  readonly result: CompiledSchema<unknown> | undefined;
  readonly suspendSchema: CompiledSchema<unknown> | undefined;
  readonly resumeSchema: CompiledSchema<unknown> | undefined;
  readonly retries: Partial<StepRetries>;
  /** From a start or resumption until the execution ends or waits. */
  readonly timeoutMs: number | undefined;
  readonly hooks: WorkflowHooks;
  /** How long a call of a hook is awaited. Default: 10 000. */
  readonly hookTimeoutMs?: number | undefined;
  /** Waiting executions with the highest priority start first. */
  readonly priority: number;
  readonly flowControl: FlowControl;
  /** The operations that users may request for their own executions. */
  readonly users: UserOperations;
  /** When it is started automatically. */
  readonly schedules: readonly WorkflowSchedule[];
  readonly index: StepIndex;
  /** Its input contains values that no request may choose, so it cannot be replayed. */
  readonly isInternal?: true;
  /**
   * Earlier definitions with the same id, with which this process runs the executions that started
   * with them.
   */
  readonly versions: readonly WorkflowDefinition[];
  /** Earlier definitions with the same id whose executions continue with this one. */
  readonly replaces: readonly WorkflowDefinition[];
  /** Carries types only; never set. */
  readonly '~result'?: ResultFits;
}

/** Whether a number can be the priority of an execution. */
export function isPriority(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= 1_000;
}

/**
 * Workflows by id, including those that run as a step of another or of an earlier version, or are
 * started by one. @throws ConfigurationError when two share an id.
 */
export function withSubWorkflows(workflows: readonly WorkflowDefinition[]): ReadonlyMap<string, WorkflowDefinition> {
  const known = new Map(byId('workflows', workflows));
  // A map also visits entries that are added meanwhile.
  for (const workflow of known.values())
    for (const { index } of [workflow, ...workflow.versions])
      for (const { step } of index.values())
        for (const other of [step.workflow, step.starts])
          if (other !== undefined && !known.has(other.id)) known.set(other.id, other);
  return known;
}

/**
 * Whether a workflow does work of the framework. Lists leave its executions out unless they ask for
 * its id, and bulk operations do not change them.
 */
export function isFrameworkWorkflow(id: string): boolean {
  return id.startsWith('halyard:');
}
