import type { FinishReason } from './agent-event.ts';
import type { Usage } from './usage.ts';

export interface ToolCallRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** Both only on a call that waits for approval. */
  readonly approvalId?: string;
  readonly signature?: string;
}

export interface ToolResultRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly output: unknown;
}

/** What a run came to, over all its steps. */
export interface TextResult {
  /** The texts of all steps, a blank line between those of two. */
  readonly text: string;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly toolCalls: readonly ToolCallRecord[];
  /** Results of tools that ran; a tool that failed is told to the model only. */
  readonly toolResults: readonly ToolResultRecord[];
  readonly conversationId?: string;
}

export interface ObjectResult<Value> {
  readonly object: Value;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
}
