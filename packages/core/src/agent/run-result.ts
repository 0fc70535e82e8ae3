import type { ModelMessage } from '../model/messages/message.ts';
import type { ModelWarning } from '../model/providers/model-port.ts';
import type { FinishReason, ProviderMetadata, SourceEvent } from './agent-event.ts';
import type { GeneratedFile } from './generated-file.ts';
import type { Usage } from './usage.ts';

export interface ToolCallRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /**
   * Both are present only on a call that waits for approval; a call that the provider runs has no
   * signature.
   */
  readonly approvalId?: string;
  readonly signature?: string;
}

export interface ToolResultRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly output: unknown;
}

/** Further fields of a call in results. */
interface CallFlags {
  /** The provider ran the tool itself. */
  readonly providerExecuted?: boolean;
  /** The tool is not one of the agent's. */
  readonly dynamic?: boolean;
  readonly providerMetadata?: ProviderMetadata;
}

/** A tool call in the result of a run. */
export interface ToolCallResult extends ToolCallRecord, CallFlags {
  /** It could not run: there is no such tool, or the arguments did not fit it. */
  readonly invalid?: boolean;
}

/** The output of a tool in the result of a run. */
export interface ToolOutputResult extends ToolResultRecord, CallFlags {}

/** A text of the reasoning, or a file that is part of it. */
export type ReasoningResult =
  | { readonly type: 'reasoning'; readonly text: string; readonly providerMetadata?: ProviderMetadata }
  | { readonly type: 'reasoning-file'; readonly file: GeneratedFile; readonly providerMetadata?: ProviderMetadata };

/** The provider's report about one response. */
export interface ResponseMetadata {
  /** Absent where the provider sends none. */
  readonly id?: string;
  /** The model that replied, as the provider names it. */
  readonly modelId: string;
  /**
   * When the provider created the response; where it does not say, when the response was complete.
   */
  readonly timestamp: Date;
}

/** The common fields of a step and a whole run. */
interface Generated {
  /** Empty for an agent with output guardrails, which cannot check reasoning. */
  readonly reasoning: readonly ReasoningResult[];
  /** The texts of the reasoning; undefined without any. */
  readonly reasoningText: string | undefined;
  readonly files: readonly GeneratedFile[];
  readonly sources: readonly SourceEvent[];
  /** Calls of all tools, also of those that the provider or the client runs. */
  readonly toolCalls: readonly ToolCallResult[];
  /** Results of tools that succeeded. The failure of a tool is sent to the model only. */
  readonly toolResults: readonly ToolOutputResult[];
  readonly finishReason: FinishReason;
  /** The reason in the words of the provider. */
  readonly rawFinishReason: string | undefined;
  readonly usage: Usage;
  /**
   * Settings that the provider could not apply; of type `other` also a reply that a default has cut,
   * and a conversation that is not stored, since the agent has no memory.
   */
  readonly warnings: readonly ModelWarning[];
  readonly providerMetadata: ProviderMetadata | undefined;
}

/** One step of a run: a model call and its tools. */
export interface StepResult extends Generated {
  /** From 0. */
  readonly stepNumber: number;
  /** The model that was asked. */
  readonly model: { readonly provider: string; readonly modelId: string };
  readonly text: string;
  readonly response: ResponseMetadata;
}

/**
 * The result of a run, with the names of the AI SDK. Files, sources, calls, results, warnings and
 * usage are those of all steps; reasoning, response and provider metadata are those of the last
 * one.
 */
export interface TextResult extends Generated {
  /** The text of the last step, without the texts that the model wrote before it called tools. */
  readonly text: string;
  /** The texts of all steps, separated by blank lines. */
  readonly fullText: string;
  /**
   * Empty for a run that called no model: it only ran approved calls, because another call still
   * waits, or it repeats a stored reply.
   */
  readonly steps: readonly StepResult[];
  /** Undefined for a run that called no model. */
  readonly response: ResponseMetadata | undefined;
  /**
   * The messages of the model and the tools in this run, which can follow the input in the next
   * request.
   */
  readonly responseMessages: readonly ModelMessage[];
  readonly conversationId?: string;
}

export interface ObjectResult<Value> {
  readonly object: Value;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
}
