import type { ReactNode } from 'react';
import { classes } from '../../ui/classes.ts';
import { type Message, MessageList, MessageParts } from '../../ui/message-list.tsx';
import type { StoryMessage } from './story.ts';
import styles from './story-view.module.css';

interface StoryConversationProps {
  /** The messages before the question. */
  readonly earlier: readonly Message[];
  readonly messages: readonly StoryMessage[];
  /** Marks the lines of these spans. */
  readonly onLight: (spanIds: ReadonlySet<string>) => void;
  readonly onOpen: (spanId: string) => void;
}

const names: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Answer',
  tool: 'Result of a tool',
  notes: 'Notes',
};
const none: ReadonlySet<string> = new Set();

/** The messages of a run. Pointing at one marks its lines of the story; a click opens the first. */
export function StoryConversation({ earlier, messages, onLight, onOpen }: StoryConversationProps): ReactNode {
  return (
    <section className={styles.conversation} aria-label="Conversation">
      {earlier.length > 0 && (
        <details className={styles.earlier}>
          <summary>
            {earlier.length} earlier {earlier.length === 1 ? 'message' : 'messages'}
          </summary>
          <MessageList messages={earlier} />
        </details>
      )}
      <ol className={styles.messages}>
        {messages.map(({ message, spanIds }, index) => {
          const light = (): void => onLight(new Set(spanIds));
          const dim = (): void => onLight(none);
          return (
            <li
              key={index}
              className={classes(styles.message, styles[message.role])}
              onMouseEnter={light}
              onMouseLeave={dim}
            >
              <button type="button" onFocus={light} onBlur={dim} onClick={() => onOpen(spanIds[0] ?? '')}>
                {names[message.name ?? message.role] ?? message.role}
              </button>
              <MessageParts parts={message.parts} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}
