import { isToolUIPart, type UIMessage } from 'ai';
import type { ReactNode } from 'react';
import { Attachments } from './attachments.tsx';
import { CopyButton } from './copy-button.tsx';
import { AgainIcon, PencilIcon } from './icons.tsx';
import { Markdown } from './markdown.tsx';
import type { SubAgentCalls } from './sub-agent-calls.ts';
import { toToolCall } from './tool-call.ts';
import { ToolCard } from './tool-card.tsx';

interface QuestionEntryProps {
  readonly message: UIMessage;
  /** Absent where the message cannot be changed. */
  readonly onEdit?: () => void;
}

export function QuestionEntry({ message, onEdit }: QuestionEntryProps): ReactNode {
  const files = message.parts.filter((part) => part.type === 'file');
  return (
    <article className="entry question">
      <h3>You</h3>
      <div>
        <Attachments files={files} />
        <p>{textOf(message)}</p>
        {onEdit !== undefined && (
          <button type="button" className="icon" aria-label="Edit the message" onClick={onEdit}>
            <PencilIcon />
          </button>
        )}
      </div>
    </article>
  );
}

interface AnswerEntryProps<Message extends UIMessage> {
  readonly message: Message;
  readonly look: {
    readonly speaker: string;
    readonly toolNames?: Readonly<Record<string, string>>;
    readonly viewTool?: (part: Message['parts'][number]) => ReactNode;
  };
  readonly agentId: string;
  readonly subAgentCalls: SubAgentCalls;
  readonly isLive: boolean;
  /** Absent where the answer cannot be generated again. */
  readonly onRepeat: (() => void) | undefined;
}

export function AnswerEntry<Message extends UIMessage>(props: AnswerEntryProps<Message>): ReactNode {
  const { agentId, isLive, look, message, onRepeat, subAgentCalls } = props;
  const toView = (part: Message['parts'][number], index: number): ReactNode => {
    const any: UIMessage['parts'][number] = part;
    if (any.type === 'text') return <Markdown key={index} text={any.text} isLive={isLive} />;
    if (any.type === 'file') return <Attachments key={index} files={[any]} />;
    if (any.type === 'reasoning' && any.text !== '')
      return (
        <details key={index} className="tool">
          <summary>Reasoning</summary>
          <Markdown text={any.text} isLive={isLive} />
        </details>
      );
    if (!isToolUIPart(any)) return null;
    const view = look.viewTool?.(part);
    if (view !== undefined)
      return (
        <div key={any.toolCallId} className="view">
          {view}
        </div>
      );
    return (
      <ToolCard
        key={any.toolCallId}
        agentPath={[agentId]}
        call={toToolCall(any, isLive)}
        names={look.toolNames ?? {}}
        subAgentCalls={subAgentCalls}
      />
    );
  };
  // An answer that failed at once has nothing to show.
  if (message.parts.every(({ type }) => type === 'step-start')) return null;
  const text = textOf(message);
  return (
    <article className="entry answer" aria-busy={isLive}>
      <h3>{look.speaker}</h3>
      <div>
        {message.parts.map(toView)}
        {!isLive && (
          <div className="acts">
            {text !== '' && <CopyButton text={text} />}
            {onRepeat !== undefined && (
              <button type="button" onClick={onRepeat}>
                <AgainIcon /> Answer again
              </button>
            )}
          </div>
        )}
      </div>
    </article>
  );
}

export function textOf({ parts }: UIMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
}
