import { type FileUIPart, isToolUIPart, type UIMessage } from 'ai';
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useState, useSyncExternalStore } from 'react';
import { Button } from '../../ui/button.tsx';
import type { Suggestion } from '../agents/suggestions.ts';
import { useSuggestions } from '../agents/use-suggestions.ts';
import { ChatMessage } from './chat-message.tsx';
import type { Feedback } from './conversations-query.ts';
import { EditMessage } from './edit-message.tsx';
import type { LaneHandle, LaneSetup } from './lane.ts';
import { hasContent, isMark, textOf } from './message-parts.ts';
import { NextSteps, Questions } from './next-steps.tsx';
import { readableError } from './readable-error.ts';
import { ReplyFeedback } from './reply-feedback.tsx';
import { useChatLane } from './use-chat-lane.ts';
import { useFollow } from './use-follow.ts';
import styles from './playground.module.css';

/** A new conversation offers the next steps below its first replies. */
const guidedQuestions = 3;

interface ChatLaneProps {
  readonly ref: Ref<LaneHandle>;
  readonly setup: LaneSetup;
  readonly initial: readonly UIMessage[];
  /** The ratings that are stored, by the ids of the replies. */
  readonly feedback: Readonly<Record<string, Feedback>>;
  /** Whether the conversation exists on the server already. */
  readonly isStored: boolean;
  /** Messages of a recorded call, which can be sent again as they are. */
  readonly isRecorded: boolean;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onEnd: () => void;
  readonly onAsk: (text: string) => void;
}

/** The messages of one conversation with one agent. */
export function ChatLane({
  feedback,
  initial,
  isRecorded,
  isStored,
  onAsk,
  onBusy,
  onEnd,
  ref,
  setup,
}: ChatLaneProps): ReactNode {
  const lane = useChatLane(setup, initial, { isStored, onEnd });
  const { clearError, end, error, isBusy, messages, regenerate, sendMessage } = lane;
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
  // A stream that was read on and ended before its first word.
  const isEmptyReply =
    last?.role === 'assistant' && !hasContent(last) && !last.parts.some(isMark) && !lane.stoppedIds.has(last.id);
  const isOpen = !isBusy && (last?.role === 'user' || isEmptyReply) && !isRecorded && !isEditing && error === undefined;
  const suggestions = useSuggestions(setup.agent);
  const questions = messages.filter(({ role }) => role === 'user').map(textOf);
  const waits =
    !isBusy && last?.parts.some((part) => isToolUIPart(part) && part.state === 'approval-requested') === true;
  const hasNext =
    !isStored &&
    !isRecorded &&
    !isEditing &&
    !waits &&
    error === undefined &&
    questions.length > 0 &&
    questions.length <= guidedQuestions;
  const isUnanswered = isRecorded && messages.length === initial.length;
  return (
    <div className={styles.scroller} ref={scroller} tabIndex={-1}>
      {messages.length === 0 && !isBusy && <Beginning agent={setup.agent} questions={suggestions} onAsk={onAsk} />}
      <ol className={styles.messages} ref={content} aria-label={`Conversation with ${setup.agent.name}`}>
        {(isOpen && isEmptyReply ? messages.slice(0, -1) : messages).map((message) =>
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
                  <ReplyFeedback messageId={message.id} given={feedback[message.id]} setup={setup} />
                ) : null
              }
              approver={isBusy ? undefined : { ...setup, respond: lane.respond }}
            />
          ),
        )}
        {isBusy && last?.role === 'user' && (
          // As high as the beginning of the reply that takes its place.
          <li className={styles.message}>
            <header>
              <h3>{setup.agent.name}</h3>
            </header>
            <p className={styles.bubble}>The agent is working …</p>
            <footer className={styles.footer} />
          </li>
        )}
        {isOpen && (
          <li className={styles.unanswered}>
            <span>This question has no answer.</span>
            <Button icon="retry" onClick={again}>
              Answer it
            </Button>
          </li>
        )}
      </ol>
      {hasNext && (
        <NextSteps
          questions={suggestions.filter(({ text }) => !questions.includes(text))}
          traceId={last === undefined ? undefined : timings[last.id]?.traceId}
          isBusy={isBusy}
          onAsk={onAsk}
        />
      )}
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

/** A first message: what the agent is for, and questions to begin with. */
function Beginning({
  agent: { description, name, subAgents, tools },
  onAsk,
  questions,
}: Pick<LaneSetup, 'agent'> & {
  readonly questions: readonly Suggestion[];
  readonly onAsk: (text: string) => void;
}): ReactNode {
  const names = [...tools, ...subAgents.map((subAgent) => subAgent.name)];
  return (
    <div className={styles.beginning}>
      <h2>{name}</h2>
      {description !== '' && <p dir="auto">{description}</p>}
      <Questions questions={questions} onAsk={onAsk} />
      {names.length > 0 && (
        <p className={styles.abilities}>
          It can use {names.slice(0, 8).join(', ')}
          {names.length > 8 && ' and more'}.
        </p>
      )}
    </div>
  );
}
