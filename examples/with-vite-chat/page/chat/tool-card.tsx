import type { ReactNode } from 'react';
import { callsOf, type SubAgentCalls } from './sub-agent-calls.ts';
import type { ToolCall, ToolCallState } from './tool-call.ts';

interface ToolCardProps {
  readonly call: ToolCall;
  /** From the agent of the page to the agent that made the call. */
  readonly agentPath: readonly string[];
  /** Names of tools for people. */
  readonly names: Readonly<Record<string, string>>;
  readonly subAgentCalls: SubAgentCalls;
}

/**
 * A tool call, folded: its name and state. Unfolded: input, the calls of a sub-agent, and output.
 */
export function ToolCard({ agentPath, call, names, subAgentCalls }: ToolCardProps): ReactNode {
  const inner = callsOf(subAgentCalls, agentPath, call.id);
  return (
    <>
      <details className="tool" data-state={call.state}>
        <summary>
          {names[call.name] ?? call.name} <span>{labels[call.state]}</span>
        </summary>
        <Value name="Input" value={call.input} />
        {call.output !== undefined && <Value name="Output" value={call.output} />}
        {call.error !== undefined && <Value name="Error" value={call.error} />}
      </details>
      {inner.length > 0 && (
        <div className="inner" role="group" aria-label={`Calls of ${call.name}`}>
          {inner.map(({ agentPath: path, ...one }) => (
            <ToolCard key={one.id} call={one} agentPath={path} names={names} subAgentCalls={subAgentCalls} />
          ))}
        </div>
      )}
    </>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: unknown }): ReactNode {
  return (
    <figure>
      <figcaption>{name}</figcaption>
      <pre tabIndex={0}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </figure>
  );
}

const labels: Readonly<Record<ToolCallState, string>> = {
  running: 'running',
  asking: 'waits for you',
  done: 'done',
  failed: 'failed',
  denied: 'declined',
  stopped: 'stopped',
};
