import { type FileUIPart, isToolUIPart } from 'ai';
import type { ReactNode } from 'react';
import { Attachments } from './attachments.tsx';
import { type ChatMessage, textOf } from './chat-message.ts';
import { CopyButton } from './copy-button.tsx';
import { PencilIcon, RetryIcon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import { findActivity, type SubAgentActivities } from './sub-agent-activity.ts';
import { SubAgentCard } from './sub-agent-card.tsx';
import { ToolCallCard } from './tool-call-card.tsx';
import { toToolCall } from './tool-call.ts';

interface UserMessageProps {
  readonly message: ChatMessage;
  /** Absent where the message cannot be changed. */
  readonly onEdit?: (() => void) | undefined;
}

export function UserMessage({ message, onEdit }: UserMessageProps): ReactNode {
  const text = textOf(message);
  return (
    <article className="message user" aria-label="You">
      <Attachments files={filesOf(message)} />
      <div className="bubble-row">
        {text !== '' && <p className="bubble">{text}</p>}
        <div className="actions">
          {onEdit !== undefined && (
            <button type="button" className="icon-button" aria-label="Edit the message" onClick={onEdit}>
              <PencilIcon />
            </button>
          )}
          {text !== '' && <CopyButton text={text} label="Copy the message" />}
        </div>
      </div>
    </article>
  );
}

interface AssistantMessageProps {
  readonly message: ChatMessage;
  /** The agent that answers. */
  readonly agentId: string;
  readonly isLive: boolean;
  readonly subAgents: SubAgentActivities;
  /** Absent where the answer cannot be generated again. */
  readonly onRetry?: (() => void) | undefined;
}

export function AssistantMessage({ agentId, isLive, message, onRetry, subAgents }: AssistantMessageProps): ReactNode {
  const text = textOf(message);
  if (message.parts.every(({ type }) => type === 'step-start')) return null;
  return (
    <article className="message assistant" aria-label="Assistant" aria-busy={isLive}>
      {message.parts.map((part, index) => (
        <Part key={index} part={part} agentId={agentId} isLive={isLive} subAgents={subAgents} />
      ))}
      {!isLive && (
        <div className="actions">
          {text !== '' && <CopyButton text={text} label="Copy the answer" />}
          {onRetry !== undefined && (
            <button type="button" className="icon-button" aria-label="Answer again" onClick={onRetry}>
              <RetryIcon />
            </button>
          )}
        </div>
      )}
    </article>
  );
}

interface PartProps {
  readonly part: ChatMessage['parts'][number];
  readonly agentId: string;
  readonly isLive: boolean;
  readonly subAgents: SubAgentActivities;
}

function Part({ agentId, isLive, part, subAgents }: PartProps): ReactNode {
  if (part.type === 'text') return <Markdown text={part.text} isLive={isLive} />;
  if (part.type === 'file') return <Attachments files={[part]} />;
  if (part.type === 'reasoning') {
    if (part.text === '') return null;
    return (
      <details className="reasoning">
        <summary>Reasoning</summary>
        <Markdown text={part.text} isLive={isLive} />
      </details>
    );
  }
  if (!isToolUIPart(part)) return null;
  const call = toToolCall(part, isLive);
  const activity = findActivity(subAgents, [agentId], call.id);
  if (activity === undefined) return <ToolCallCard call={call} />;
  return <SubAgentCard call={call} activity={activity} activities={subAgents} />;
}

export function filesOf({ parts }: ChatMessage): readonly FileUIPart[] {
  return parts.filter((part): part is FileUIPart => part.type === 'file');
}
