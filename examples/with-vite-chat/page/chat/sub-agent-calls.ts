import { useCallback, useState } from 'react';
import type { ToolCall } from './tool-call.ts';

/** A tool call of a sub-agent. */
interface InnerCall extends ToolCall {
  /** From the agent of the page to the sub-agent. */
  readonly agentPath: readonly string[];
}

/** By the call that started the sub-agent. The server streams them, but does not store them. */
export type SubAgentCalls = Readonly<Record<string, readonly InnerCall[]>>;

/** The data of a `data-agent-event` chunk: one event of a sub-agent. */
interface SubAgentEvent {
  readonly agentPath: readonly string[];
  /** The call that started the sub-agent. */
  readonly parentToolCallId: string;
  readonly event: {
    readonly type: string;
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
    readonly output?: unknown;
    readonly error?: string;
  };
}

/** Collects the tool calls of sub-agents from the data of a chat. */
export function useSubAgentCalls(): {
  readonly subAgentCalls: SubAgentCalls;
  readonly onData: (part: { readonly type: string; readonly data: unknown }) => void;
} {
  const [subAgentCalls, setCalls] = useState<SubAgentCalls>({});
  const onData = useCallback(({ data, type }: { readonly type: string; readonly data: unknown }): void => {
    if (type === 'data-agent-event') setCalls((known) => withEvent(known, data as SubAgentEvent));
  }, []);
  return { subAgentCalls, onData };
}

/** @param agentPath of the agent that made the call. */
export function callsOf(calls: SubAgentCalls, agentPath: readonly string[], callId: string): readonly InnerCall[] {
  return calls[keyOf(agentPath, callId)] ?? [];
}

function withEvent(calls: SubAgentCalls, { agentPath, event, parentToolCallId }: SubAgentEvent): SubAgentCalls {
  const state = states[event.type];
  if (state === undefined) return calls;
  const { error, input, output, toolCallId: id, toolName: name } = event;
  const call: InnerCall = { agentPath, id, name, input, state, output, ...(error !== undefined && { error }) };
  const key = keyOf(agentPath.slice(0, -1), parentToolCallId);
  const others = (calls[key] ?? []).filter((one) => one.id !== id);
  return { ...calls, [key]: [...others, call] };
}

const states: Readonly<Record<string, ToolCall['state']>> = {
  'tool-call': 'running',
  'tool-result': 'done',
  'tool-error': 'failed',
};

/** Some models number their calls, so that ids repeat in different agents. */
function keyOf(agentPath: readonly string[], toolCallId: string): string {
  return `${agentPath.join('/')} ${toolCallId}`;
}
