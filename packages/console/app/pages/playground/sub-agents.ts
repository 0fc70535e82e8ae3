/** The data of a `data-agent-event` chunk: one event of a sub-agent's run. */
export interface SubAgentEvent {
  readonly agentId: string;
  readonly parentToolCallId: string;
  readonly event: {
    readonly type: string;
    readonly delta?: string;
    readonly toolCallId?: string;
    readonly toolName?: string;
    readonly error?: unknown;
  };
}

/** The activity of a sub-agent so far. */
export interface SubAgentActivity {
  readonly agentId: string;
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly state: string }[];
  readonly isRunning: boolean;
}

/** By the call that started the sub-agent. */
export type SubAgents = Readonly<Record<string, SubAgentActivity>>;

export function withEvent(known: SubAgents, { agentId, event, parentToolCallId }: SubAgentEvent): SubAgents {
  const before = known[parentToolCallId];
  // A reader that reconnects gets all events again, from the start.
  const activity =
    before === undefined || event.type === 'start' ? { agentId, text: '', calls: [], isRunning: true } : before;
  return { ...known, [parentToolCallId]: next(activity, event) };
}

function next(activity: SubAgentActivity, event: SubAgentEvent['event']): SubAgentActivity {
  const { toolCallId: id = '', toolName: name = '' } = event;
  switch (event.type) {
    case 'text-delta':
      return { ...activity, text: activity.text + (event.delta ?? '') };
    case 'tool-call':
      return { ...activity, calls: [...activity.calls, { id, name, state: 'running' }] };
    case 'tool-result':
      return withCall(activity, id, 'completed');
    case 'tool-error':
      return withCall(activity, id, 'error');
    case 'finish':
    case 'abort':
    case 'error':
      return { ...activity, isRunning: false };
    default:
      return activity;
  }
}

function withCall(activity: SubAgentActivity, id: string, state: string): SubAgentActivity {
  return { ...activity, calls: activity.calls.map((call) => (call.id === id ? { ...call, state } : call)) };
}
