import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { JsonView } from './json-view.tsx';
import styles from './message-list.module.css';

/** A message in the form of OpenTelemetry's conventions for generative AI. */
export interface Message {
  readonly role: string;
  /** `notes`: the model wrote it for itself, though it has the role of the user. */
  readonly name?: string;
  readonly parts: readonly MessagePart[];
  readonly finish_reason?: string;
}

export interface MessagePart {
  readonly type: string;
  readonly content?: unknown;
  readonly name?: string;
  readonly id?: string;
  readonly arguments?: unknown;
  readonly response?: unknown;
}

/**
 * Messages as a conversation, in the order in which the model got them. Texts are shown as they
 * are, never as HTML.
 */
export function MessageList({ messages }: { readonly messages: readonly Message[] }): ReactNode {
  return (
    <ol className={styles.list}>
      {messages.map((message, index) => (
        <li key={index} className={classes(styles.message, styles[message.name ?? message.role])}>
          <h3>{message.name ?? message.role}</h3>
          <MessageParts parts={message.parts} />
        </li>
      ))}
    </ol>
  );
}

export function MessageParts({ parts }: Pick<Message, 'parts'>): ReactNode {
  // Parts have no ids, and their order does not change.
  return parts.map((part, at) => <Part key={at} part={part} />);
}

function Part({ part }: { readonly part: MessagePart }): ReactNode {
  if (typeof part.content === 'string')
    return (
      <p className={classes(styles.text, part.type === 'reasoning' && styles.reasoning)} dir="auto">
        {part.content}
      </p>
    );
  if (part.type === 'tool_call') {
    return (
      <div className={styles.call}>
        <h4>calls {part.name}</h4>
        <JsonView label={`arguments of ${part.name}`} value={part.arguments} />
      </div>
    );
  }
  if (part.type === 'tool_call_response') {
    const result = <JsonView label="result" value={readResponse(part.response)} />;
    if (part.name === undefined) return result;
    return (
      <div className={styles.call}>
        <h4>{part.name} returned</h4>
        {result}
      </div>
    );
  }
  return <JsonView label={part.type} value={part} />;
}

const wrappings: ReadonlySet<unknown> = new Set(['text', 'json', 'content', 'error-text', 'error-json']);

/** The AI SDK wraps results as `{ type, value }`. */
function readResponse(response: unknown): unknown {
  if (typeof response !== 'object' || response === null || !('type' in response && 'value' in response))
    return response;
  return wrappings.has(response.type) ? response.value : response;
}
