import type { ReactNode } from 'react';
import { AgentIcon, ChevronIcon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { briefly, ReadableValue } from './readable-value.tsx';
import { findActivity, type SubAgentActivities, type SubAgentActivity } from './sub-agent-activity.ts';
import { ToolCallCard, ToolState } from './tool-call-card.tsx';
import type { ToolCall } from './tool-call.ts';

interface SubAgentCardProps {
  /** The call that gives the task to the sub-agent. */
  readonly call: ToolCall;
  readonly activity: SubAgentActivity;
  /** Of all sub-agents: a sub-agent can have its own. */
  readonly activities: SubAgentActivities;
}

/** The work of a sub-agent: its task, its tool calls and its answer. Open while it works. */
export function SubAgentCard({ activities, activity, call }: SubAgentCardProps): ReactNode {
  const { agentPath, calls, text } = activity;
  const task = taskOf(call.input);
  const answer = text === '' && typeof call.output === 'string' ? call.output : text;
  return (
    <details className="tool sub-agent" data-state={call.state} open={call.state === 'running' ? true : undefined}>
      <summary>
        <ChevronIcon />
        <AgentIcon />
        <b>{agentPath.at(-1)}</b>
        <span className="brief">{task ?? briefly(call.input)}</span>
        <ToolState state={call.state} />
      </summary>
      <div className="tool-body">
        <h4>Task</h4>
        {task === undefined ? <ReadableValue value={call.input} /> : <p className="value-text">{task}</p>}
        {calls.length > 0 && (
          <>
            <h4>Tool calls</h4>
            {calls.map((inner) => (
              <NestedCall
                key={inner.id}
                call={inner}
                agentPath={agentPath}
                activities={activities}
                isLive={call.state === 'running'}
              />
            ))}
          </>
        )}
        {answer !== '' && (
          <>
            <h4>Answer</h4>
            <Markdown text={answer} isLive={activity.isRunning} />
          </>
        )}
        {call.error !== undefined && <p className="tool-error">{call.error}</p>}
      </div>
    </details>
  );
}

interface NestedCallProps {
  readonly call: ToolCall;
  /** Of the agent that made the call. */
  readonly agentPath: readonly string[];
  readonly activities: SubAgentActivities;
  readonly isLive: boolean;
}

function NestedCall({ activities, agentPath, call, isLive }: NestedCallProps): ReactNode {
  const shown: ToolCall = call.state === 'running' && !isLive ? { ...call, state: 'stopped' } : call;
  const activity = findActivity(activities, agentPath, call.id);
  if (activity === undefined) return <ToolCallCard call={shown} />;
  return <SubAgentCard call={shown} activity={activity} activities={activities} />;
}

function taskOf(input: unknown): string | undefined {
  const task = typeof input === 'object' && input !== null && 'task' in input ? input.task : undefined;
  return typeof task === 'string' ? task : undefined;
}
