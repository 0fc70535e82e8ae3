import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { JsonView } from '../../ui/json-view.tsx';
import { type Message, MessageList } from '../../ui/message-list.tsx';
import { kindOf, type Span } from './span-rows.ts';
import styles from './span-inspector.module.css';

/** What a span was given and what it returned: messages as a conversation, arguments and results as data. */
export function SpanContent({ span }: { readonly span: Span }): ReactNode {
  const { attributes } = span;
  const instructions = parsed(attributes['gen_ai.system_instructions']);
  const messages = [
    ...(Array.isArray(instructions) ? [{ role: 'system', parts: instructions as Message['parts'] }] : []),
    ...messagesOf(attributes['gen_ai.input.messages']),
    ...messagesOf(attributes['gen_ai.output.messages']),
  ];
  const tools = parsed(attributes['gen_ai.tool.definitions']);
  const input = parsed(attributes['gen_ai.tool.call.arguments'] ?? attributes['halyard.input']);
  const output = parsed(attributes['gen_ai.tool.call.result'] ?? attributes['halyard.output']);
  if (messages.length === 0 && input === undefined && output === undefined) {
    return <p className={styles.none}>Nothing was recorded of what this span was given or returned.</p>;
  }
  return (
    <div className={styles.stack}>
      {kindOf(span) === 'model' && (
        <p>
          <Link to="/playground" search={{ span: span.spanId }}>
            Open this call in the playground
          </Link>
        </p>
      )}
      {messages.length > 0 && <MessageList messages={messages} />}
      {input !== undefined && (
        <section className={styles.stack}>
          <h3>Input</h3>
          <JsonView label="input" value={input} />
        </section>
      )}
      {output !== undefined && (
        <section className={styles.stack}>
          <h3>Output</h3>
          <JsonView label="output" value={output} />
        </section>
      )}
      {Array.isArray(tools) && (
        <details>
          <summary>
            {tools.length} {tools.length === 1 ? 'tool' : 'tools'} offered to the model
          </summary>
          <JsonView label="tools" value={tools} depth={1} />
        </details>
      )}
    </div>
  );
}

/** Attributes are JSON in a text. One that was cut off at its limit is no JSON any more: the text is shown then. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function messagesOf(value: unknown): readonly Message[] {
  const messages = parsed(value);
  if (typeof messages === 'string') return [{ role: 'cut off', parts: [{ type: 'text', content: messages }] }];
  return Array.isArray(messages) ? (messages as Message[]) : [];
}
