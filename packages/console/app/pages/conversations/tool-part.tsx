import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { JsonView } from '../../ui/json-view.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import styles from './conversations.module.css';

interface ToolCall {
  readonly type: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly state?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: {
    readonly id?: string;
    readonly approved?: boolean;
    readonly reason?: string;
    /** The arguments that the person gave in place of those of the model. */
    readonly input?: unknown;
  };
}

/** How the states of the AI SDK's tool parts are called, and marked. */
const states: Readonly<Record<string, readonly [mark: string, text: string]>> = {
  'input-streaming': ['running', 'being written'],
  'input-available': ['idle', 'no result'],
  'approval-requested': ['waiting', 'waits for approval'],
  'approval-responded': ['running', 'answered'],
  'output-available': ['success', 'result'],
  'output-error': ['error', 'failed'],
  'output-denied': ['cancelled', 'denied'],
};

/** A tool call with its arguments, its approval and its result. */
export function ToolPart({ part }: { readonly part: ToolCall }): ReactNode {
  const { approval, errorText, input, output, state = '', toolName, type } = part;
  const name = toolName ?? type.slice('tool-'.length);
  const [mark, text] = states[state] ?? ['idle', state];
  return (
    <section className={styles.call} aria-label={`Tool call ${name}`}>
      <header>
        <h3>{name}</h3>
        <StateMark state={mark} isShort />
        <span className={styles.soft}>{text}</span>
        {state === 'approval-requested' && (
          <Link to="/approvals" search={approval?.id === undefined ? {} : { id: approval.id }}>
            Answer it
          </Link>
        )}
      </header>
      {approval?.approved !== undefined && (
        <p className={styles.soft}>
          {approval.approved ? 'Approved' : 'Denied'}
          {approval.reason !== undefined && `: ${approval.reason}`}
        </p>
      )}
      <div className={styles.values}>
        <div>
          <h4>Arguments</h4>
          <JsonView label={`arguments of ${name}`} value={input ?? null} depth={1} />
        </div>
        {approval?.input !== undefined && (
          <div>
            <h4>Changed arguments</h4>
            <JsonView label={`changed arguments of ${name}`} value={approval.input} depth={1} />
          </div>
        )}
        {output !== undefined && (
          <div>
            <h4>Result</h4>
            <JsonView label={`result of ${name}`} value={output} depth={1} />
          </div>
        )}
      </div>
      {errorText !== undefined && <p className={styles.failure}>{errorText}</p>}
    </section>
  );
}
