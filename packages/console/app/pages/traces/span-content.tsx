import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { JsonView } from '../../ui/json-view.tsx';
import { type Message, MessageList } from '../../ui/message-list.tsx';
import { inputOf, messagesOf, parsed } from './recorded-content.ts';
import { kindOf, type Span } from './span-rows.ts';
import styles from './span-inspector.module.css';

/** The input and output of a span: messages as a conversation, arguments and results as data. */
export function SpanContent({ span }: { readonly span: Span }): ReactNode {
  const { attributes } = span;
  const instructions = parsed(attributes['gen_ai.system_instructions']);
  const messages = [
    ...(Array.isArray(instructions) ? [{ role: 'system', parts: instructions as Message['parts'] }] : []),
    ...messagesOf(attributes['gen_ai.input.messages']),
    ...messagesOf(attributes['gen_ai.output.messages']),
  ];
  const tools = parsed(attributes['gen_ai.tool.definitions']);
  const input = inputOf(span);
  const output = parsed(attributes['gen_ai.tool.call.result'] ?? attributes['halyard.output']);
  if (messages.length === 0 && input === undefined && output === undefined) {
    return <p className={styles.none}>Nothing was recorded of what this span was given or returned.</p>;
  }
  return (
    <div className={styles.stack}>
      {kindOf(span) === 'model' && (
        <p className={styles.links}>
          <Link to="/try" search={{ span: span.spanId }}>
            Edit and run again
          </Link>
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
