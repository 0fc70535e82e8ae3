import type { FileUIPart, UIMessage } from 'ai';
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useState, useSyncExternalStore } from 'react';
import { Button } from '../../ui/button.tsx';
import { ChatMessage } from './chat-message.tsx';
import { EditMessage } from './edit-message.tsx';
import type { LaneHandle, LaneSetup } from './lane.ts';
import { textOf } from './message-parts.ts';
import { readableError } from './readable-error.ts';
import { ReplyFeedback } from './reply-feedback.tsx';
import { useChatLane } from './use-chat-lane.ts';
import { useFollow } from './use-follow.ts';
import styles from './playground.module.css';

interface ChatLaneProps {
  readonly ref: Ref<LaneHandle>;
  readonly setup: LaneSetup;
  readonly initial: readonly UIMessage[];
  /** Whether the conversation exists on the server already. */
  readonly isStored: boolean;
  /** Messages of a recorded call, which can be sent again as they are. */
  readonly isRecorded: boolean;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onEnd: () => void;
}

/** The messages of one conversation with one agent. */
export function ChatLane({ initial, isRecorded, isStored, onBusy, onEnd, ref, setup }: ChatLaneProps): ReactNode {
  const lane = useChatLane(setup, initial, { isStored, onEnd });
  const { addToolApprovalResponse, clearError, end, error, isBusy, messages, regenerate, sendMessage } = lane;
  const { timings } = useSyncExternalStore(setup.log.subscribe, setup.log.snapshot);
  const [isEditing, setEditing] = useState(false);
  const { content, follow, scroller } = useFollow();
  useEffect(() => onBusy(isBusy), [isBusy, onBusy]);
  useImperativeHandle(ref, () => ({
    send: (text, files) => {
      clearError();
      follow();
      void sendMessage({ text, files: [...files] });
    },
    stop: end,
  }));

  const last = messages.at(-1);
  const lastQuestion = messages.findLast(({ role }) => role === 'user');
  const edit = (text: string): void => {
    if (lastQuestion === undefined) return;
    setEditing(false);
    const files = lastQuestion.parts.filter((part): part is FileUIPart => part.type === 'file');
    void sendMessage({ text, files, messageId: lastQuestion.id });
  };
  const again = (): void => {
    clearError();
    if (isRecorded) {
      lane.setMessages([...initial]);
      void sendMessage();
      return;
    }
    void (last?.role === 'user' ? sendMessage() : regenerate());
  };
  const isOpen = last?.role === 'user' && !isBusy && !isRecorded && !isEditing && error === undefined;
  const isUnanswered = isRecorded && messages.length === initial.length;
  return (
    <div className={styles.scroller} ref={scroller} tabIndex={-1}>
      {messages.length === 0 && !isBusy && <Beginning agent={setup.agent} />}
      <ol className={styles.messages} ref={content} aria-label={`Conversation with ${setup.agent.name}`}>
        {messages.map((message) =>
          isEditing && message === lastQuestion && !isBusy ? (
            <li key={message.id}>
              <EditMessage text={textOf(message)} onCancel={() => setEditing(false)} onSend={edit} />
            </li>
          ) : (
            <ChatMessage
              key={message.id}
              message={message}
              agentName={setup.agent.name}
              isLive={isBusy && message === last}
              isStopped={lane.stoppedIds.has(message.id)}
              subAgents={lane.subAgents}
              timing={timings[message.id]}
              onEdit={message === lastQuestion && !isBusy && !isRecorded ? () => setEditing(true) : undefined}
              onRegenerate={
                message === last && message.role === 'assistant' && !isBusy && !isUnanswered ? again : undefined
              }
              feedback={
                setup.hasMemory && message.role === 'assistant' && !(isBusy && message === last) ? (
                  <ReplyFeedback messageId={message.id} setup={setup} />
                ) : null
              }
              onApproval={isBusy ? undefined : (decision) => void addToolApprovalResponse(decision)}
            />
          ),
        )}
        {isBusy && last?.role === 'user' && <li className={styles.waiting}>The agent is working …</li>}
        {isOpen && (
          <li className={styles.unanswered}>
            <span>This question has no answer.</span>
            <Button icon="retry" onClick={again}>
              Answer it
            </Button>
          </li>
        )}
      </ol>
      {isUnanswered && !isBusy && (
        <p className={styles.rerun}>
          <Button look="main" icon="play" onClick={again}>
            Run this call again
          </Button>
        </p>
      )}
      {error !== undefined && (
        <div className={styles.failure} role="alert">
          <p>{readableError(error.message)}</p>
          <Button icon="retry" onClick={again}>
            Try again
          </Button>
        </div>
      )}
      <p className={styles.hidden} role="status">
        {isBusy
          ? `${setup.agent.name} is answering`
          : last?.role === 'assistant'
            ? `${setup.agent.name} has answered`
            : ''}
      </p>
    </div>
  );
}

/** Suggestions for a first message. */
function Beginning({ agent: { description, subAgents, tools } }: Pick<LaneSetup, 'agent'>): ReactNode {
  const names = [...tools, ...subAgents.map(({ name }) => name)];
  return (
    <div className={styles.beginning}>
      {description !== '' && <p>{description}.</p>}
      <p>
        {names.length > 0 && `It can use ${names.slice(0, 8).join(', ')}${names.length > 8 ? ' and more' : ''}. `}
        Write a message below, or drop files there.
      </p>
    </div>
  );
}
