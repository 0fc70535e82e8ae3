import type { CompiledSchema } from '../../schema/compile-schema.ts';
import type { StepIndex } from './step-index.ts';
import type { AnyStep, StepRetries } from './step.ts';
import type { WorkflowHooks } from './workflow-hooks.ts';
import type { WorkflowSchedule } from './workflow-schedule.ts';

/** A workflow as the interpreter sees it. */
export interface WorkflowDefinition {
  readonly id: string;
  readonly name: string;
  readonly purpose: string;
  readonly steps: readonly AnyStep[];
  readonly input: CompiledSchema<unknown> | undefined;
  readonly result: CompiledSchema<unknown> | undefined;
  readonly suspendSchema: CompiledSchema<unknown> | undefined;
  readonly resumeSchema: CompiledSchema<unknown> | undefined;
  readonly retries: Partial<StepRetries>;
  /** Between a start or resumption and the next rest. */
  readonly timeoutMs: number | undefined;
  readonly hooks: WorkflowHooks;
  /** Of executions that wait for a place, the highest begins first. */
  readonly priority: number;
  /** When it starts by itself. */
  readonly schedules: readonly WorkflowSchedule[];
  readonly index: StepIndex;
}
