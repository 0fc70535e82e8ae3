import type { Logger, Recorder, User } from '@halyard/contracts';
import type { ParentRun } from '../agent/run/run.ts';
import type { ModelTool } from '../model/model-port.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { InferSchema, Schema } from '../schema/schema.ts';

/** What a tool knows of the call it serves. */
export interface ToolContext {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Aborted when the client leaves, the run is cancelled or the tool's time is up. */
  readonly signal: AbortSignal;
  /** Same for each repetition of one call: hand it to services that deduplicate. */
  readonly idempotencyKey: string;
  /** The verified user, when there is one. */
  readonly user?: User;
  readonly userId?: string;
  readonly conversationId?: string;
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
  /** Records spans of what the tool does, as children of the call's. Absent: nothing is recorded. */
  readonly recorder?: Recorder;
  /** The agent run that called, for tools that run agents themselves; absent when the tool is run directly. */
  readonly parent?: ParentRun;
  /** The workflow that the agent works in, where it does. */
  readonly workflow?: ToolWorkflow;
}

/** What a tool may do to the workflow that its agent works in. */
export interface ToolWorkflow {
  readonly executionId: string;
  /**
   * Ends the call here until somebody resumes the execution; the tool then runs again from its beginning, with `resumeData`. Leaves by
   * throwing: nothing after it runs.
   */
  readonly suspend: (reason: string, data?: unknown) => never;
  /** What the call was resumed with; undefined before that. */
  readonly resumeData: unknown;
  /** Cancels the whole execution. Leaves by throwing, like `suspend`. */
  readonly abort: (reason?: string) => never;
}

/** Whether a person must agree to this call; asked with the validated input. */
export type NeedsApproval<Input> =
  | boolean
  | ((input: Input, context: Omit<ToolContext, 'parent' | 'workflow'>) => boolean | Promise<boolean>);

export interface ToolOptions<In extends Schema, Out extends Schema | undefined, Result> {
  /** `^[A-Za-z0-9_-]{1,64}$`: what every provider accepts. */
  readonly name: string;
  /** Tells the model when to use the tool. */
  readonly description: string;
  /** The arguments: TypeBox, JSON Schema or a Standard Schema. Must describe an object. */
  readonly input: In;
  /** When given, a result that does not fit is an error of the tool. */
  readonly output?: Out;
  readonly needsApproval?: NeedsApproval<InferSchema<In>>;
  readonly tags?: readonly string[];
  /** Milliseconds; default: the agent's `timeouts.toolMs`. */
  readonly timeoutMs?: number;
  /** Absent: the client runs the tool, and the run ends its step with the call. */
  readonly execute?: (input: InferSchema<In>, context: ToolContext) => Result | Promise<Result>;
}

/** A tool, as agents and the server hold it. Made by `createTool`. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly input: CompiledSchema<unknown>;
  readonly output: CompiledSchema<unknown> | undefined;
  readonly clientSide: boolean;
  readonly timeoutMs: number | undefined;
  /** `true` when every call needs approval, `'asks'` when the tool decides per call. */
  readonly approval: boolean | 'asks';
  needsApproval(input: unknown, context: Omit<ToolContext, 'parent' | 'workflow'>): boolean | Promise<boolean>;
  /** Runs the tool on validated input. Only for tools that are not `clientSide`. */
  execute(input: unknown, context: ToolContext): unknown;
}

/** The description of a tool that models receive. */
export function toModelTool({ name, description, input }: Tool): ModelTool {
  return { type: 'function', name, description, inputSchema: input.jsonSchema };
}
