import { ConnectionError } from '@halyard/client';
import { useAgentChat } from '@halyard/react';
import { type ReactNode, useEffect } from 'react';
import { ApprovalCard } from './approval-card.tsx';
import { Composer } from './composer.tsx';
import { EmptyState } from './empty-state.tsx';
import type { HarbourClient, HarbourMessage } from './harbour-client.ts';
import { AnswerEntry, QuestionEntry } from './message.tsx';

interface ChatViewProps {
  readonly client: HarbourClient;
  /** Undefined: a new one, whose id `onSend` receives. */
  readonly conversationId: string | undefined;
  readonly userId: string | undefined;
  readonly onAnswer: (id: string) => void;
  readonly onSend: (id: string, text: string) => void;
}

/** The open conversation: its messages, what waits for the person, and the field for the next message. */
export function ChatView({ client, conversationId, onAnswer, onSend, userId }: ChatViewProps): ReactNode {
  const chat = useAgentChat({
    client,
    agentId: 'harbour',
    conversationId,
    throttle: 50,
    onFinish: () => onAnswer(chat.id),
    ...(userId !== undefined && { userId }),
  });
  const { approvals, isBusy, isLoading, isReconnecting, loadError, messages } = chat;
  const error = isReconnecting ? undefined : chat.error;
  const last = messages.at(-1);
  const send = (text: string): void => {
    onSend(chat.id, text);
    void chat.sendMessage({ text });
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
      <div className="scroller">
        <div className="entries" role="log" aria-live="off" aria-label="Messages" aria-busy={isLoading || isBusy}>
          {messages.length === 0 && !isLoading && !isBusy && <EmptyState onTry={send} />}
          {messages.map((message) => {
            if (message.role === 'user') return <QuestionEntry key={message.id} message={message} />;
            const isLast = message === last;
            const canRepeat = isLast && !isBusy && error === undefined && approvals.length === 0;
            return (
              <AnswerEntry
                key={message.id}
                message={message}
                isLive={isLast && isBusy}
                onRepeat={canRepeat ? () => void chat.regenerate() : undefined}
              />
            );
          })}
          {isBusy && !isShowing(last) && <p className="working">Looking it up …</p>}
        </div>
      </div>
      <div className="dock">
        {isReconnecting && (
          <p className="notice" role="status">
            The connection is lost. The answer goes on when it is back.
          </p>
        )}
        {error !== undefined && <Notice text={sentenceOf(error)} action="Try again" onAct={retry} />}
        {approvals.map((approval) => (
          <ApprovalCard
            key={approval.id}
            approval={approval}
            onAnswer={(isApproved) => chat.answer(approval, isApproved)}
          />
        ))}
        <Composer isBusy={isBusy} isDisabled={isLoading || approvals.length > 0} onSend={send} onStop={stop} />
      </div>
      <p className="sr-only" role="status">
        {isBusy ? 'The desk is answering.' : last?.role === 'assistant' ? 'The answer is complete.' : ''}
      </p>
    </div>
  );
}

/** Whether the answer has something to show already. */
function isShowing(message: HarbourMessage | undefined): boolean {
  return message?.role === 'assistant' && message.parts.some(({ type }) => type !== 'step-start');
}

interface NoticeProps {
  readonly text: string;
  readonly action: string;
  readonly onAct: () => void;
}

function Notice({ action, onAct, text }: NoticeProps): ReactNode {
  return (
    <div className="notice" role="alert">
      <p>{text}</p>
      <button type="button" onClick={onAct}>
        {action}
      </button>
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
