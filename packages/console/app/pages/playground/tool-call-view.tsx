import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import type { ToolCall } from './message-parts.ts';
import type { SubAgentActivity } from './sub-agents.ts';
import styles from './tool-call.module.css';

/** As `addToolApprovalResponse` of the AI SDK wants it. */
export interface ApprovalDecision {
  readonly id: string;
  readonly approved: boolean;
  readonly reason?: string;
}

/**
 * A call with its state as it runs, folded: its input and result are shown on demand, and at once
 * if it failed, was denied, or waits for an approval.
 */
export function ToolCallView({
  activity,
  call,
  onApproval,
}: {
  readonly call: ToolCall;
  readonly activity: SubAgentActivity | undefined;
  readonly onApproval: ((decision: ApprovalDecision) => void) | undefined;
}): ReactNode {
  const { approvalId, error, input, name, output, reason, state, word } = call;
  const needsAttention = approvalId !== undefined || error !== undefined || reason !== undefined;
  return (
    <details className={styles.call} open={needsAttention}>
      <summary>
        <Icon name="chevron" size={12} />
        {activity === undefined ? <code>{name}</code> : <b>{activity.agentId}</b>}
        <span className={styles.preview} dir="auto">
          {toPreview(input)}
        </span>
        <StateMark state={state} word={word} />
        <span className={styles.kind}>{activity === undefined ? 'tool' : 'sub-agent'}</span>
      </summary>
      <div className={styles.body}>
        <h4>Input</h4>
        <JsonView label={`Input of ${name}`} value={input ?? {}} depth={2} />
        {activity !== undefined && <Activity activity={activity} />}
        {output !== undefined && (
          <>
            <h4>Result</h4>
            <JsonView label={`Result of ${name}`} value={output} depth={2} />
          </>
        )}
        {error !== undefined && <p className={styles.error}>{error}</p>}
        {reason !== undefined && <p className={styles.reason}>Denied: {reason}</p>}
        {approvalId !== undefined && onApproval !== undefined && (
          <Approval name={name} onDecision={(decision) => onApproval({ id: approvalId, ...decision })} />
        )}
      </div>
    </details>
  );
}

/** The input in one line. */
function toPreview(input: unknown): string {
  if (typeof input !== 'object' || input === null) return input === undefined ? '' : JSON.stringify(input);
  const values = Object.values(input).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return values.join(', ').slice(0, 200);
}

function Activity({ activity }: { readonly activity: SubAgentActivity }): ReactNode {
  return (
    <div className={styles.activity}>
      <p>
        <Link to="/agents/$agentId" params={{ agentId: activity.agentId }}>
          {activity.agentId}
        </Link>{' '}
        {activity.isRunning ? 'works on it' : 'has answered'}
      </p>
      {activity.calls.map(({ id, name, state }) => (
        <p key={id}>
          <code>{name}</code> <StateMark state={state} />
        </p>
      ))}
      {activity.text !== '' && <p>{activity.text}</p>}
    </div>
  );
}

function Approval({
  name,
  onDecision,
}: {
  readonly name: string;
  readonly onDecision: (decision: Omit<ApprovalDecision, 'id'>) => void;
}): ReactNode {
  const [reason, setReason] = useState('');
  const id = useId();
  return (
    <section className={styles.approval} aria-label={`Approval of ${name}`}>
      <p>
        May the agent run <code>{name}</code> with this input?
      </p>
      <div className={styles.answer}>
        <Button look="main" icon="check" onClick={() => onDecision({ approved: true })}>
          Approve
        </Button>
        <Button
          look="danger"
          icon="close"
          onClick={() => onDecision({ approved: false, ...(reason.trim() !== '' && { reason: reason.trim() }) })}
        >
          Deny
        </Button>
        <label htmlFor={id}>because</label>
        <input
          id={id}
          value={reason}
          placeholder="reason, optional"
          aria-label="Reason for denying"
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
    </section>
  );
}
