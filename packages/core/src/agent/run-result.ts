import type { FinishReason } from './agent-event.ts';
import type { Usage } from './usage.ts';

export interface ToolCallRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** Both are present only on a call that waits for approval. */
  readonly approvalId?: string;
  readonly signature?: string;
}

export interface ToolResultRecord {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly output: unknown;
}

/** The result of a run, over all its steps. */
export interface TextResult {
  /** The texts of all steps, separated by blank lines. */
  readonly text: string;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly toolCalls: readonly ToolCallRecord[];
  /** Results of tools that succeeded. The failure of a tool is sent to the model only. */
  readonly toolResults: readonly ToolResultRecord[];
  readonly conversationId?: string;
}

export interface ObjectResult<Value> {
  readonly object: Value;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
}
