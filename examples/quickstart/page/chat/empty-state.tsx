import type { ReactNode } from 'react';
import type { AgentSummary } from './agents.ts';
import { AgentIcon, Logo, MemoryIcon, ShieldIcon, ToolIcon } from './icons.tsx';

interface Suggestion {
  readonly icon: ReactNode;
  /** What the suggestion shows. */
  readonly feature: string;
  readonly text: string;
}

/** By agent. */
const suggestions: Readonly<Record<string, readonly Suggestion[]>> = {
  assistant: [
    { icon: <ToolIcon />, feature: 'Call a tool', text: 'What time is it in Tokyo?' },
    { icon: <ToolIcon />, feature: 'Pass arguments', text: 'Convert 26.2 miles to kilometres' },
    { icon: <MemoryIcon />, feature: 'Remember', text: 'Note: buy oars' },
    { icon: <ShieldIcon />, feature: 'Ask for approval', text: 'Delete all notes' },
  ],
  concierge: [
    { icon: <AgentIcon />, feature: 'Delegate to a sub-agent', text: 'What time is it in Lisbon?' },
    { icon: <AgentIcon />, feature: 'Delegate with arguments', text: 'Convert 26.2 miles to kilometres' },
  ],
};

interface EmptyStateProps {
  readonly agent: AgentSummary;
  readonly onTry: (text: string) => void;
}

/** What a new conversation shows: what the agent can do, and messages that show it. */
export function EmptyState({ agent, onTry }: EmptyStateProps): ReactNode {
  return (
    <div className="empty">
      <Logo />
      <h1>{agent.name}</h1>
      <p>{agent.description}.</p>
      <ul>
        {(suggestions[agent.id] ?? []).map(({ feature, icon, text }) => (
          <li key={text}>
            <button type="button" onClick={() => onTry(text)}>
              {icon}
              <span>
                <small>{feature}</small>
                {text}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
