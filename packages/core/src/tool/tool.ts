import type { ApprovalRules, ExpiryRules, Logger, Recorder, User } from '@halyard/contracts';
import type { ParentRun } from '../agent/loop/run.ts';
import type { ToModelOutput } from '../model/prompt/to-model-messages.ts';
import type { ToolModelOutput } from '../model/prompt/tool-output.ts';
import type { JSONObject, ModelTool, ProviderOptions } from '../model/providers/model-port.ts';
import { closeObjects } from '../schema/close-objects.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { InferSchema, InferSchemaInput, Schema } from '../schema/schema.ts';
import type { SuspensionOptions } from '../workflow/definition/step-context.ts';
import type { AccessLevel } from './access-level.ts';
import type { ToolWriter } from './tool-data.ts';

export type { ToModelOutput, ToolModelOutput };

/** The context of a tool call. */
export interface ToolContext {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Aborts when the client disconnects, the run is aborted or the tool exceeds its time limit. */
  readonly signal: AbortSignal;
  /** The same for each repetition of a call. Pass it to services that deduplicate requests. */
  readonly idempotencyKey: string;
  /** The verified user, when there is one. */
  readonly user?: User;
  readonly userId?: string;
  readonly conversationId?: string;
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
  /** Records spans as children of the call's span. Absent: nothing is recorded. */
  readonly recorder?: Recorder;
  /**
   * The run that calls the tool, for tools that run agents; absent when the tool is called
   * directly.
   */
  readonly parent?: ParentRun;
  /** The workflow that the agent runs in, if any. */
  readonly workflow?: ToolWorkflow;
  /**
   * Sends data to the client while the tool works. Where no reply is written, as in a direct call
   * of the tool, nobody receives them.
   */
  readonly writer: ToolWriter;
}

/** The context of a decision before the call. */
export type ApprovalContext = Omit<ToolContext, 'parent' | 'workflow' | 'writer'>;

/** The actions of a tool on the workflow that its agent runs in. */
export interface ToolWorkflow {
  readonly executionId: string;
  /**
   * Suspends the execution. When it is resumed, the tool runs again from its beginning, with
   * `resumeData`. Throws, so that nothing after it runs. With `expiryMs`, the call fails when nobody
   * has resumed it within this time, or `onExpire` decides.
   */
  readonly suspend: (reason: string, data?: unknown, options?: SuspensionOptions) => never;
  /** The data that the call was resumed with; undefined in the first run. */
  readonly resumeData: unknown;
  /** Cancels the whole execution. Throws, as `suspend` does. */
  readonly abort: (reason?: string) => never;
}

/**
 * The people who may approve a call, if they are others than the user of the run, and how long the
 * request waits: by default as long as the server allows in a conversation, and for good in a
 * workflow. `onExpire` is `deny` by default.
 */
export interface ToolApproval extends Partial<ApprovalRules>, ExpiryRules {
  /**
   * Whether the person who approves may also approve later calls of this tool for the same user.
   * Each call is still checked: only calls for which this is `true`, and which that person may
   * approve, run without a question. Not with a `quorum`. Default: false.
   */
  readonly always?: boolean | undefined;
  /** Records that the call would have waited, and runs it. Default: false. */
  readonly shadow?: boolean | undefined;
}

/** Whether a person must approve the call, and who. A function receives the validated input. */
export type NeedsApproval<Input> =
  | boolean
  | ToolApproval
  | ((input: Input, context: ApprovalContext) => boolean | ToolApproval | Promise<boolean | ToolApproval>);

export interface ToolOptions<In extends Schema, Out extends Schema | undefined, Result, Name extends string = string> {
  /** `^[A-Za-z0-9_-]{1,64}$`, which every provider accepts. */
  readonly name: Name;
  /** Tells the model when to use the tool. */
  readonly description: string;
  /** The arguments: TypeBox, JSON Schema or a Standard Schema. Must describe an object. */
  readonly input: In;
  /** Example arguments, for providers that take examples. */
  readonly inputExamples?: readonly ToolInputExample[] | undefined;
  /** A result that does not fit is an error of the tool. */
  readonly output?: Out | undefined;
  readonly needsApproval?: NeedsApproval<InferSchema<In>> | undefined;
  /** A name for people: clients of `/chat` receive it with each call. */
  readonly title?: string | undefined;
  /**
   * Whether the provider forces the arguments to fit the schema. All objects of the schema are then
   * closed (`additionalProperties: false`). Default: the provider's.
   */
  readonly strict?: boolean | undefined;
  /**
   * Converts the output for the model, for example to an image. Clients and the stored message get
   * the output itself, so this is also called in later turns, with outputs of earlier ones.
   * Default, also where it returns undefined: a text as it is, everything else as JSON.
   */
  readonly toModelOutput?: ToModelOutput | undefined;
  /** Passed to the provider with the tool, such as Anthropic's `cacheControl`. */
  readonly providerOptions?: ProviderOptions | undefined;
  readonly tags?: readonly string[] | undefined;
  /**
   * The callers that may run it over HTTP, MCP and WebSockets. `operators`: only the console key or
   * the dev bypass. `server`: nobody; only code and agents that have it. Default `users`: everyone
   * who may call its routes.
   */
  readonly access?: AccessLevel | undefined;
  /** Milliseconds; default: the agent's `timeouts.toolMs`. */
  readonly timeoutMs?: number | undefined;
  /** Absent: the client runs the tool, and the run ends with the call. */
  readonly execute?: ToolFunction<In, Out, Result> | undefined;
}

/**
 * A tool with an `output` schema returns a value that the schema accepts, or a generator of such
 * values.
 */
export type ToolFunction<In extends Schema, Out extends Schema | undefined, Result> = Out extends Schema
  ? (input: InferSchema<In>, context: ToolContext) => Returned<InferSchemaInput<Out>>
  : (input: InferSchema<In>, context: ToolContext) => Result | Promise<Result>;

type Returned<Value> = Value | Promise<Value> | AsyncIterable<Value>;

/** An example of a tool's arguments, as the AI SDK writes it. */
export interface ToolInputExample {
  readonly input: JSONObject;
}

/**
 * A tool as agents and the server use it, with the JSON that a client sends and receives. Created
 * by `createTool`.
 */
export interface Tool<Name extends string = string, in In = never, out Out = unknown> {
  readonly name: Name;
  /** The callers that may run it directly. Agents that have it call it in any case. */
  readonly access: AccessLevel;
  /** Carries types only; never set. */
  readonly '~tool'?: (input: In) => Out;
  readonly title: string | undefined;
  readonly description: string;
  readonly tags: readonly string[];
  readonly strict: boolean | undefined;
  readonly providerOptions: ProviderOptions | undefined;
  readonly inputExamples?: readonly ToolInputExample[] | undefined;
  readonly input: CompiledSchema<unknown>;
  readonly output: CompiledSchema<unknown> | undefined;
  readonly clientSide: boolean;
  readonly timeoutMs: number | undefined;
  /** `true`: every call needs approval. `'asks'`: the tool decides for each call. */
  readonly approval: boolean | 'asks';
  needsApproval(input: unknown, context: ApprovalContext): boolean | ToolApproval | Promise<boolean | ToolApproval>;
  readonly toModelOutput: ToModelOutput | undefined;
  /** Runs the tool on validated input. Only for tools that are not `clientSide`. */
  execute(input: unknown, context: ToolContext): unknown;
}

/** The description of a tool that models receive. */
export function toModelTool({ description, input, inputExamples, name, providerOptions, strict }: Tool): ModelTool {
  return {
    type: 'function',
    name,
    description,
    inputSchema: input.isClosed || strict === true ? closeObjects(input.jsonSchema) : input.jsonSchema,
    ...(inputExamples !== undefined && { inputExamples: [...inputExamples] }),
    ...(strict !== undefined && { strict }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}
