import type { ModelMessage } from '../model/messages/message.ts';
import type { ToolCallProblem } from '../model/prompt/tool-call-problem.ts';
import type { ResolvedModel } from '../model/providers/model-port.ts';
import type { ModelChoice } from '../model/providers/resolve-models.ts';
import type { SdkStopCondition } from '../model/sdk-stop-condition.ts';
import type { JsonSchema } from '../schema/schema.ts';
import type { RunContext } from './agent-options.ts';
import type { GenerationSettings } from './generation-options.ts';
import type { Instructions } from './instructions.ts';
import type { StepResult } from './run-result.ts';

/**
 * Whether the model may call tools (`auto`), must not (`none`), must call one (`required`), or must
 * call this one.
 */
export type ToolChoice<ToolName extends string = string> =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly type: 'tool'; readonly toolName: ToolName };

/**
 * Whether the run ends after the step, although the model asked for tools. Those have run.
 * `isStepCount` and `hasToolCall` of `ai` are such conditions.
 */
export type StopCondition =
  | ((done: { readonly steps: StepResult[] }) => boolean | PromiseLike<boolean>)
  | SdkStopCondition;

/** The input of `prepareStep`. */
export interface StepToPrepare extends RunContext {
  /** From 0. */
  readonly stepNumber: number;
  /** The steps before this one. */
  readonly steps: StepResult[];
  /** The model that is asked first. */
  readonly model: ResolvedModel;
  /**
   * The instructions of the agent, or those that an earlier step set. What memory and the request
   * add is sent after them.
   */
  readonly instructions: Instructions;
  readonly initialInstructions: Instructions;
  /** The messages that the step sends, without the instructions. */
  readonly messages: ModelMessage[];
  /** The messages that the first step sent. */
  readonly initialMessages: ModelMessage[];
  /** The messages that the model and the tools have added. */
  readonly responseMessages: ModelMessage[];
}

/**
 * The changes for a step. Settings replace those of the call, and `providerOptions` are added to
 * them, provider by provider.
 */
export interface PreparedStep<ToolName extends string = string> extends GenerationSettings {
  /** For this step only. */
  readonly model?: ModelChoice | undefined;
  /** For this step only. */
  readonly toolChoice?: ToolChoice<ToolName> | undefined;
  /** For this step only. */
  readonly activeTools?: readonly ToolName[] | undefined;
  /** For this step and later ones. */
  readonly instructions?: Instructions | undefined;
  /** For this step and later ones, which add to them. */
  readonly messages?: readonly ModelMessage[] | undefined;
}

/**
 * Called before each model call of a run; also, when a run is continued, for the calls that are
 * recorded.
 */
export type PrepareStep<ToolName extends string = string> = (
  step: StepToPrepare,
) => PreparedStep<ToolName> | undefined | PromiseLike<PreparedStep<ToolName> | undefined>;

/** A call as the model wrote it. `input` is JSON text. */
export interface ToolCallToRepair {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
}

/**
 * Returns the repaired call; null for a call that stays as it is, whose error goes back to the
 * model.
 */
export type RepairToolCall = (broken: {
  readonly toolCall: ToolCallToRepair;
  /** `NoSuchToolError` or `InvalidToolInputError` of `ai`. */
  readonly error: ToolCallProblem;
  /** The JSON Schema of the arguments of a tool. */
  readonly inputSchema: (tool: { readonly toolName: string }) => Promise<JsonSchema>;
  readonly instructions: Instructions;
  readonly messages: ModelMessage[];
  readonly abortSignal: AbortSignal;
}) => Promise<Pick<ToolCallToRepair, 'toolName' | 'input'> | null>;

/**
 * Control of the loop, with the names of the AI SDK. Those of a call take precedence over the
 * agent's.
 */
export interface LoopControl<ToolName extends string = string> {
  /**
   * Default: `auto`. It holds for each step: with `required` or one tool, the run ends at
   * `maxSteps` or by `stopWhen`.
   */
  readonly toolChoice?: ToolChoice<ToolName> | undefined;
  /** The tools that the model receives. Default: all. */
  readonly activeTools?: readonly ToolName[] | undefined;
  /** One of the conditions ends the run; `maxSteps` does so, too. */
  readonly stopWhen?: StopCondition | readonly StopCondition[] | undefined;
  readonly prepareStep?: PrepareStep<ToolName> | undefined;
  readonly repairToolCall?: RepairToolCall | undefined;
}
