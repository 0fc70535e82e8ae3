import { type DynamicToolUIPart, getToolName, type ToolUIPart, type UIMessage } from 'ai';

export function textOf({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** A tool call, as the page shows it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly output?: unknown;
  readonly error?: string;
  /** As `StateMark` names it, and the word for it. */
  readonly state: string;
  readonly word: string;
  /** Set while a person has to decide. */
  readonly approvalId?: string;
  /** Why it was denied. */
  readonly reason?: string | undefined;
}

/** @param isLive whether the reply is still being generated. */
export function toToolCall(part: ToolUIPart | DynamicToolUIPart, isLive: boolean): ToolCall {
  const call = { id: part.toolCallId, name: getToolName(part), input: part.input };
  switch (part.state) {
    case 'output-available':
      return { ...call, state: 'completed', word: 'done', output: part.output };
    case 'output-error':
      return { ...call, state: 'error', word: 'failed', error: part.errorText };
    case 'output-denied':
      return { ...call, state: 'cancelled', word: 'denied', reason: part.approval.reason };
    case 'approval-requested':
      return { ...call, state: 'waiting', word: 'needs approval', approvalId: part.approval.id };
    case 'approval-responded':
      return part.approval.approved
        ? { ...call, ...(isLive ? running : stopped) }
        : { ...call, state: 'cancelled', word: 'denied', reason: part.approval.reason };
    default:
      return { ...call, ...(isLive ? running : stopped) };
  }
}

const running = { state: 'running', word: 'running' } as const;
const stopped = { state: 'cancelled', word: 'stopped' } as const;
