import { type AgentId, type Client, ConnectionError } from '@halyard/client';
import { type AgentMessage, useAgentChat } from '@halyard/react';
import type { FileUIPart, UIMessage } from 'ai';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApprovalCard } from './approval-card.tsx';
import type { ChatLook } from './chat-look.ts';
import { Composer } from './composer.tsx';
import { EditMessage } from './edit-message.tsx';
import { CloseIcon } from './icons.tsx';
import { JumpToLatest } from './jump-to-latest.tsx';
import { AnswerEntry, QuestionEntry, textOf } from './message.tsx';
import { useSubAgentCalls } from './sub-agent-calls.ts';

interface ChatViewProps<App, Id extends AgentId<App>> {
  readonly agentId: Id;
  readonly client: Client<App>;
  /** Undefined: a new one, whose id `onSend` receives. */
  readonly conversationId: string | undefined;
  readonly look: ChatLook<App, Id>;
  readonly userId: string | undefined;
  readonly onAnswer: (id: string) => void;
  readonly onSend: (id: string, text: string) => void;
}

/**
 * The open conversation: its messages, what waits for the person, and the field for the next
 * message.
 */
export function ChatView<App, Id extends AgentId<App>>(props: ChatViewProps<App, Id>): ReactNode {
  const { agentId, client, conversationId, look, onAnswer, onSend, userId } = props;
  const { onData, subAgentCalls } = useSubAgentCalls();
  const chat = useAgentChat<App, Id>({
    client,
    agentId,
    conversationId,
    throttle: 50,
    onData,
    onFinish: () => onAnswer(chat.id),
    ...(userId !== undefined && { userId }),
  });
  const { approvals, isBusy, isLoading, isReconnecting, loadError, messages } = chat;
  const error = isReconnecting ? undefined : chat.error;
  const last = messages.at(-1);
  const lastQuestion = messages.findLast(({ role }) => role === 'user');
  const scroller = useRef<HTMLDivElement>(null);
  const [editing, setEditing] = useState<UIMessage>();
  const send = (text: string, files: readonly FileUIPart[] = []): void => {
    onSend(chat.id, text === '' ? (files[0]?.filename ?? 'File') : text);
    void chat.sendMessage({ text, files: [...files] });
  };
  const edit = (message: UIMessage, text: string): void => {
    setEditing(undefined);
    const files = message.parts.filter((part): part is FileUIPart => part.type === 'file');
    void chat.sendMessage({ text, files, messageId: message.id });
  };
  const stop = (): void => void chat.stop();
  useEscape(isBusy, stop);
  // A question that was not answered is sent again; an incomplete answer is generated again.
  const retry = (): void => void (last?.role === 'user' ? chat.sendMessage() : chat.regenerate());

  if (loadError !== undefined)
    return (
      <Notice
        text={`The conversation cannot be loaded. ${sentenceOf(loadError)}`}
        action="Load again"
        onAct={chat.reload}
      />
    );
  return (
    // Another conversation begins with an empty field, at its end.
    <div key={chat.id} className="chat">
      {/* Its order is reversed, so that the browser keeps the end of a growing answer in view. */}
      <div ref={scroller} className="scroller">
        <div className="entries" role="log" aria-live="off" aria-label="Messages" aria-busy={isLoading || isBusy}>
          {messages.length === 0 && !isLoading && !isBusy && (
            <section className="empty">
              {look.welcome}
              <ul>
                {look.questions.map((question) => (
                  <li key={question}>
                    <button type="button" onClick={() => send(question)}>
                      {question}
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {messages.map((message) => {
            const isLast = message === last;
            if (message.role !== 'user')
              return (
                <AnswerEntry<AgentMessage<App, Id>>
                  key={message.id}
                  message={message}
                  look={look}
                  subAgentCalls={subAgentCalls}
                  agentId={agentId}
                  isLive={isLast && isBusy}
                  onRepeat={
                    isLast && !isBusy && error === undefined && approvals.length === 0
                      ? () => void chat.regenerate()
                      : undefined
                  }
                />
              );
            if (message !== lastQuestion || isBusy) return <QuestionEntry key={message.id} message={message} />;
            if (message.id !== editing?.id)
              return <QuestionEntry key={message.id} message={message} onEdit={() => setEditing(message)} />;
            return (
              <EditMessage
                key={message.id}
                message={message}
                onCancel={() => setEditing(undefined)}
                onSend={(text) => edit(message, text)}
              />
            );
          })}
          {isBusy && !isShowing(last) && <p className="working">Working on it …</p>}
        </div>
      </div>
      <div className="dock">
        <JumpToLatest scroller={scroller} />
        {isReconnecting && (
          <p className="notice" role="status">
            The connection is lost. The answer goes on when it is back.
          </p>
        )}
        {error !== undefined && (
          <Notice text={sentenceOf(error)} action="Try again" onAct={retry} onDismiss={chat.clearError} />
        )}
        {approvals.map((approval) => (
          <ApprovalCard
            key={approval.id}
            approval={approval}
            question={look.questionOf?.(approval.toolName, approval.input)}
            onAnswer={(isApproved) => chat.answer(approval, isApproved)}
          />
        ))}
        <Composer
          isBusy={isBusy}
          isDisabled={isLoading || approvals.length > 0}
          placeholder={look.placeholder}
          onSend={send}
          onStop={stop}
        />
        {look.note !== undefined && <p className="note">{look.note}</p>}
      </div>
      <p className="sr-only" role="status">
        {isBusy ? `${look.speaker} is answering.` : last?.role === 'assistant' ? textOf(last) : ''}
      </p>
    </div>
  );
}

/** Whether the answer has something to show already. */
function isShowing(message: UIMessage | undefined): boolean {
  return message?.role === 'assistant' && message.parts.some(({ type }) => type !== 'step-start');
}

interface NoticeProps {
  readonly text: string;
  readonly action: string;
  readonly onAct: () => void;
  readonly onDismiss?: () => void;
}

function Notice({ action, onAct, onDismiss, text }: NoticeProps): ReactNode {
  return (
    <div className="notice" role="alert">
      <p>{text}</p>
      <button type="button" onClick={onAct}>
        {action}
      </button>
      {onDismiss !== undefined && (
        <button type="button" className="icon" aria-label="Dismiss" onClick={onDismiss}>
          <CloseIcon />
        </button>
      )}
    </div>
  );
}

/** Browsers name a lost connection each in their own words, as a TypeError. */
function sentenceOf(error: Error): string {
  const isLost = error instanceof ConnectionError || error instanceof TypeError;
  return isLost ? 'The server cannot be reached.' : error.message;
}

function useEscape(isActive: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!isActive) return undefined;
    const onKeyDown = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') onEscape();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}
