import type { Schema } from '../schema/schema.ts';
import type { Flow } from './definition/step-context.ts';
import type {
  AnySchema,
  AnyStep,
  BodyOutput,
  FlowAfter,
  NotAStep,
  OutputsInside,
  Step,
  StepOutput,
} from './definition/step.ts';
import type { JoinedExecution } from './interpreter/step/join-executions.ts';
import { andAgent, type AgentOutput, type AgentStepOptions } from './steps/and-agent.ts';
import { andAll, type AllOptions, type AllOutput, type OutputsOf } from './steps/and-all.ts';
import {
  andBranch,
  type BranchCase,
  type BranchOptions,
  type BranchOutputs,
  type OutputsInBranches,
} from './steps/and-branch.ts';
import { andDoUntil } from './steps/and-do-until.ts';
import { andDoWhile } from './steps/and-do-while.ts';
import { andForEach, type ForEachItemOptions, type ForEachOptions } from './steps/and-for-each.ts';
import { andGuardrail, type GuardrailOptions } from './steps/and-guardrail.ts';
import { andJoin, type JoinOptions } from './steps/and-join.ts';
import { andMap, type MapOptions, type MapOutput, type MapSource } from './steps/and-map.ts';
import { andRace, type RaceOptions } from './steps/and-race.ts';
import { andRun, type RunStepOptions } from './steps/and-run.ts';
import { andSleepUntil, type SleepUntilOptions } from './steps/and-sleep-until.ts';
import { andSleep, type SleepOptions } from './steps/and-sleep.ts';
import { andStart, type StartedExecution, type StartInputOptions, type StartStepOptions } from './steps/and-start.ts';
import { andTap, type TapOptions } from './steps/and-tap.ts';
import { andThen, type ThenOptions } from './steps/and-then.ts';
import { andTry, type TryOptions } from './steps/and-try.ts';
import { andWaitForEvent, type EventOutput, type WaitForEventOptions } from './steps/and-wait-for-event.ts';
import { andWhen, type WhenOptions } from './steps/and-when.ts';
import { andWorkflow, type WorkflowInputOptions, type WorkflowStepOptions } from './steps/and-workflow.ts';
import type { LoopOptions } from './steps/loop.ts';
import type { Workflow } from './workflow.ts';

/** The methods of a workflow that add a step. Each returns a new workflow. */
export abstract class StepChain<in In, Data, F extends Flow, Outputs extends object> {
  /** A copy of the workflow with one more step, whose types the methods below state. */
  protected abstract withStep<Out, After extends object>(step: AnyStep): Workflow<In, Out, F, After>;

  /** {@link andThen} as the next step. */
  andThen<
    Out,
    Id extends string = string,
    Input extends AnySchema = undefined,
    Output extends AnySchema = undefined,
    Suspend extends AnySchema = undefined,
    Resume extends AnySchema = undefined,
  >(
    options: ThenOptions<Data, Out, FlowAfter<F, Outputs>, Id, Input, Output, Suspend, Resume>,
  ): Workflow<In, BodyOutput<Output, Out>, F, Outputs & StepOutput<Id, BodyOutput<Output, Out>>> {
    return this.withStep(andThen(options));
  }

  /** {@link andWhen} as the next step. */
  andWhen<Out, Id extends string = string, Inner extends object = {}>(
    options: WhenOptions<Data, Out, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Data | Out, F, Outputs & Inner & StepOutput<Id, Data | Out>> {
    return this.withStep(andWhen(options));
  }

  /** {@link andTry} as the next step. */
  andTry<Out, Caught = never, Id extends string = string, Inner extends object = {}, CaughtInner extends object = {}>(
    options: TryOptions<Data, Out, Caught, FlowAfter<F, Outputs>, Id, Inner, CaughtInner>,
  ): Workflow<In, Out | Caught, F, Outputs & Inner & CaughtInner & StepOutput<Id, Out | Caught>> {
    return this.withStep(andTry(options));
  }

  /** {@link andRun} as the next step. */
  andRun<Out, Id extends string = string, Input extends AnySchema = undefined, Output extends AnySchema = undefined>(
    options: RunStepOptions<Data, Out, FlowAfter<F, Outputs>, Id, Input, Output> & NotAStep,
  ): Workflow<In, BodyOutput<Output, Out>, F, Outputs & StepOutput<Id, BodyOutput<Output, Out>>> {
    return this.withStep(andRun(options));
  }

  /** {@link andAll} as the next step. */
  andAll<
    const Steps extends readonly Step<Data, unknown, FlowAfter<F, Outputs>>[],
    Id extends string = string,
    Keep extends boolean = false,
  >(
    options: AllOptions<Steps, Id, Keep> & NotAStep,
  ): Workflow<
    In,
    AllOutput<Data, Steps, Keep>,
    F,
    Outputs & OutputsInside<Steps> & StepOutput<Id, AllOutput<Data, Steps, Keep>>
  > {
    return this.withStep(andAll<Data, Steps, FlowAfter<F, Outputs>, Id, Keep>(options));
  }

  /** {@link andRace} as the next step. */
  andRace<const Steps extends readonly Step<Data, unknown, FlowAfter<F, Outputs>>[], Id extends string = string>(
    options: RaceOptions<Steps, Id> & NotAStep,
  ): Workflow<
    In,
    OutputsOf<Steps>[number],
    F,
    Outputs & OutputsInside<Steps> & StepOutput<Id, OutputsOf<Steps>[number]>
  > {
    return this.withStep(andRace<Data, Steps, FlowAfter<F, Outputs>, Id>(options));
  }

  /** {@link andTap} as the next step. */
  andTap<
    Id extends string = string,
    Input extends AnySchema = undefined,
    Suspend extends AnySchema = undefined,
    Resume extends AnySchema = undefined,
  >(
    options: TapOptions<Data, FlowAfter<F, Outputs>, Id, Input, Suspend, Resume>,
  ): Workflow<In, Data, F, Outputs & StepOutput<Id, Data>> {
    return this.withStep(andTap(options));
  }

  /** {@link andAgent} as the next step. */
  andAgent<S extends Schema | undefined = undefined, Id extends string = string>(
    options: AgentStepOptions<Data, S, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, AgentOutput<S>, F, Outputs & StepOutput<Id, AgentOutput<S>>> {
    return this.withStep(andAgent(options));
  }

  /** {@link andWorkflow} as the next step. */
  andWorkflow<ChildIn, Out, Id extends string = string>(
    options: WorkflowInputOptions<Data, ChildIn, Out, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, Out, F, Outputs & StepOutput<Id, Out>>;
  /** {@link andWorkflow} as the next step. */
  andWorkflow<Out, Id extends string = string>(
    options: WorkflowStepOptions<Data, Out, Id>,
  ): Workflow<In, Out, F, Outputs & StepOutput<Id, Out>>;
  andWorkflow<ChildIn, Out, Id extends string>(
    options: WorkflowInputOptions<Data, ChildIn, Out, FlowAfter<F, Outputs>, Id> | WorkflowStepOptions<Data, Out, Id>,
  ): Workflow<In, Out, F, Outputs & StepOutput<Id, Out>> {
    // Both branches make the same call; the condition only selects the overload.
    return this.withStep(options.input === undefined ? andWorkflow(options) : andWorkflow(options));
  }

  /** {@link andForEach} as the next step. */
  andForEach<Out, Item = never, Id extends string = string, Inner extends object = {}>(
    options: ForEachItemOptions<Data, Item, Out, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Out[], F, Outputs & Inner & StepOutput<Id, Out[]>>;
  /** {@link andForEach} as the next step. */
  andForEach<Out, Id extends string = string, Inner extends object = {}>(
    options: ForEachOptions<Data, Out, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Out[], F, Outputs & Inner & StepOutput<Id, Out[]>>;
  andForEach<Item, Out, Id extends string, Inner extends object>(
    options:
      | ForEachItemOptions<Data, Item, Out, FlowAfter<F, Outputs>, Id, Inner>
      | ForEachOptions<Data, Out, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Out[], F, Outputs & Inner & StepOutput<Id, Out[]>> {
    // Both branches make the same call; the condition only selects the overload.
    return this.withStep(options.items === undefined ? andForEach(options) : andForEach(options));
  }

  /** {@link andBranch} as the next step. */
  andBranch<
    const Branches extends readonly BranchCase<Data, unknown, FlowAfter<F, Outputs>>[],
    Id extends string = string,
  >(
    options: BranchOptions<Branches, Id>,
  ): Workflow<
    In,
    BranchOutputs<Branches>,
    F,
    Outputs & OutputsInBranches<Branches> & StepOutput<Id, BranchOutputs<Branches>>
  > {
    return this.withStep(andBranch<Data, Branches, FlowAfter<F, Outputs>, Id>(options));
  }

  /** {@link andDoWhile} as the next step. */
  andDoWhile<Id extends string = string, Inner extends object = {}>(
    options: LoopOptions<Data, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Data, F, Outputs & Inner & StepOutput<Id, Data>> {
    return this.withStep(andDoWhile(options));
  }

  /** {@link andDoUntil} as the next step. */
  andDoUntil<Id extends string = string, Inner extends object = {}>(
    options: LoopOptions<Data, FlowAfter<F, Outputs>, Id, Inner>,
  ): Workflow<In, Data, F, Outputs & Inner & StepOutput<Id, Data>> {
    return this.withStep(andDoUntil(options));
  }

  /** {@link andMap} as the next step. */
  andMap<
    const Sources extends Readonly<Record<string, MapSource<Data, FlowAfter<F, Outputs>>>>,
    Id extends string = string,
  >(
    options: MapOptions<Sources, Id>,
  ): Workflow<
    In,
    MapOutput<Sources, Data, FlowAfter<F, Outputs>>,
    F,
    Outputs & StepOutput<Id, MapOutput<Sources, Data, FlowAfter<F, Outputs>>>
  > {
    return this.withStep(andMap<Data, Sources, FlowAfter<F, Outputs>, Id>(options));
  }

  /** {@link andSleep} as the next step. */
  andSleep<Id extends string = string>(
    options: SleepOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, Data, F, Outputs & StepOutput<Id, Data>> {
    return this.withStep(andSleep(options));
  }

  /** {@link andSleepUntil} as the next step. */
  andSleepUntil<Id extends string = string>(
    options: SleepUntilOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, Data, F, Outputs & StepOutput<Id, Data>> {
    return this.withStep(andSleepUntil(options));
  }

  /** {@link andStart} as the next step. */
  andStart<ChildIn, Id extends string = string>(
    options: StartInputOptions<Data, ChildIn, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, StartedExecution, F, Outputs & StepOutput<Id, StartedExecution>>;
  /** {@link andStart} as the next step. */
  andStart<Id extends string = string>(
    options: StartStepOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, StartedExecution, F, Outputs & StepOutput<Id, StartedExecution>>;
  andStart<ChildIn, Id extends string>(
    options:
      | StartStepOptions<Data, FlowAfter<F, Outputs>, Id>
      | StartInputOptions<Data, ChildIn, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, StartedExecution, F, Outputs & StepOutput<Id, StartedExecution>> {
    return this.withStep(options.input === undefined ? andStart(options) : andStart(options));
  }

  /** {@link andJoin} as the next step. */
  andJoin<Id extends string = string>(
    options: JoinOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, readonly JoinedExecution[], F, Outputs & StepOutput<Id, readonly JoinedExecution[]>> {
    return this.withStep(andJoin(options));
  }

  /** {@link andGuardrail} as the next step. */
  andGuardrail<Id extends string = string>(
    options: GuardrailOptions<Data, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, Data, F, Outputs & StepOutput<Id, Data>> {
    return this.withStep(andGuardrail(options));
  }

  /** {@link andWaitForEvent} as the next step. */
  andWaitForEvent<S extends Schema | undefined = undefined, Id extends string = string>(
    options: WaitForEventOptions<Data, S, FlowAfter<F, Outputs>, Id>,
  ): Workflow<In, EventOutput<S>, F, Outputs & StepOutput<Id, EventOutput<S>>> {
    return this.withStep(andWaitForEvent(options));
  }
}
