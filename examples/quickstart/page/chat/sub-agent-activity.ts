import type { ToolCall } from './tool-call.ts';

/** The data of a `data-agent-event` chunk: one event of a sub-agent's run. */
export interface SubAgentEvent {
  readonly agentId: string;
  readonly agentPath: readonly string[];
  /** The call that started the sub-agent. */
  readonly parentToolCallId: string;
  readonly event: RunEvent;
}

interface CallFields {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** The events that this page shows. */
type RunEvent =
  | { readonly type: 'start' | 'finish' | 'abort' | 'error' }
  | { readonly type: 'text-delta'; readonly delta: string }
  | ({ readonly type: 'tool-call' } & CallFields)
  | ({ readonly type: 'tool-result'; readonly output: unknown } & CallFields)
  | ({ readonly type: 'tool-error'; readonly error: string } & CallFields);

/** What a sub-agent has done so far. */
export interface SubAgentActivity {
  /** From the called agent to this sub-agent. */
  readonly agentPath: readonly string[];
  readonly isRunning: boolean;
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** By the agent and the call that started the sub-agent. */
export type SubAgentActivities = Readonly<Record<string, SubAgentActivity>>;

/** @param agentPath of the agent that made the call. */
export function findActivity(
  activities: SubAgentActivities,
  agentPath: readonly string[],
  toolCallId: string,
): SubAgentActivity | undefined {
  return activities[keyOf(agentPath, toolCallId)];
}

export function withEvent(
  activities: SubAgentActivities,
  { agentPath, event, parentToolCallId }: SubAgentEvent,
): SubAgentActivities {
  const key = keyOf(agentPath.slice(0, -1), parentToolCallId);
  const known = activities[key];
  // A reader that reconnects receives all events again, from the start.
  const isFirst = known === undefined || event.type === 'start';
  const activity = isFirst ? { agentPath, isRunning: true, text: '', calls: [] } : known;
  return { ...activities, [key]: next(activity, event) };
}

/** Some models number their calls, so that ids repeat in different agents. */
function keyOf(agentPath: readonly string[], toolCallId: string): string {
  return `${agentPath.join('/')} ${toolCallId}`;
}

function next(activity: SubAgentActivity, event: RunEvent): SubAgentActivity {
  switch (event.type) {
    case 'text-delta':
      return { ...activity, text: activity.text + event.delta };
    case 'tool-call':
      return withCall(activity, { ...fieldsOf(event), state: 'running' });
    case 'tool-result':
      return withCall(activity, { ...fieldsOf(event), state: 'done', output: event.output });
    case 'tool-error':
      return withCall(activity, { ...fieldsOf(event), state: 'failed', error: event.error });
    case 'finish':
    case 'abort':
    case 'error':
      return { ...activity, isRunning: false };
    default:
      return activity;
  }
}

function fieldsOf({ input, toolCallId, toolName }: CallFields): Omit<ToolCall, 'state'> {
  return { id: toolCallId, name: toolName, input };
}

function withCall(activity: SubAgentActivity, call: ToolCall): SubAgentActivity {
  const isKnown = activity.calls.some(({ id }) => id === call.id);
  const calls = isKnown
    ? activity.calls.map((other) => (other.id === call.id ? call : other))
    : [...activity.calls, call];
  return { ...activity, calls };
}
