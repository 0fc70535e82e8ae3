import { type DynamicToolUIPart, getToolName, type ToolUIPart } from 'ai';

/** `asking`: a person has to approve the call. `stopped`: the answer ended before the call did. */
export type ToolCallState = 'running' | 'asking' | 'done' | 'failed' | 'denied' | 'stopped';

/** A tool call of an agent or of a sub-agent, as this page shows it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly state: ToolCallState;
  readonly output?: unknown;
  readonly error?: string;
}

/** @param isLive whether the answer is still being generated. */
export function toToolCall(part: ToolUIPart | DynamicToolUIPart, isLive: boolean): ToolCall {
  const call = { id: part.toolCallId, name: getToolName(part), input: part.input };
  switch (part.state) {
    case 'output-available':
      return { ...call, state: 'done', output: part.output };
    case 'output-error':
      return { ...call, state: 'failed', error: part.errorText };
    case 'output-denied':
      return { ...call, state: 'denied' };
    case 'approval-requested':
      return { ...call, state: 'asking' };
    case 'approval-responded':
      return { ...call, state: part.approval.approved ? (isLive ? 'running' : 'stopped') : 'denied' };
    default:
      return { ...call, state: isLive ? 'running' : 'stopped' };
  }
}
