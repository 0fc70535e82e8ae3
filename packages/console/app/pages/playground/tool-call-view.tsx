import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { StateMark } from '../../ui/state-mark.tsx';
import { type LaterCalls, LaterCallsField } from '../approvals/later-calls-field.tsx';
import type { ToolCall } from './message-parts.ts';
import type { SubAgentActivity } from './sub-agents.ts';
import styles from './tool-call.module.css';

/** As `addToolApprovalResponse` of the AI SDK wants it, except for `always`. */
export interface ApprovalDecision {
  readonly id: string;
  readonly approved: boolean;
  readonly reason?: string;
  /** With `approved`, for later calls, too. */
  readonly always?: LaterCalls | undefined;
}

/** Who responds in a conversation. */
export interface Approver {
  readonly conversationId: string;
  /** The user of the runs, if the page has named one. */
  readonly userId: string | undefined;
  readonly respond: (decision: ApprovalDecision) => Promise<void>;
}

/**
 * A call with its state as it runs, folded: its input and result are shown on demand, and at once
 * if it failed, was denied, or waits for an approval.
 */
export function ToolCallView({
  activity,
  approver,
  call,
}: {
  readonly call: ToolCall;
  readonly activity: SubAgentActivity | undefined;
  readonly approver: Approver | undefined;
}): ReactNode {
  const { allowsAlways = false, approvalId, error, input, name, output, reason, state, word } = call;
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
        {approvalId !== undefined && approver !== undefined && (
          <Approval id={approvalId} name={name} allowsAlways={allowsAlways} approver={approver} />
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
  allowsAlways,
  approver: { conversationId, respond, userId },
  id,
  name,
}: {
  readonly id: string;
  readonly name: string;
  readonly allowsAlways: boolean;
  readonly approver: Approver;
}): ReactNode {
  const [reason, setReason] = useState('');
  const [later, setLater] = useState<LaterCalls>();
  const reasonId = useId();
  const { error, isPending, mutate } = useMutation({ mutationFn: respond });
  return (
    <section className={styles.approval} aria-label={`Approval of ${name}`}>
      <p>
        May the agent run <code>{name}</code> with this input?
      </p>
      {allowsAlways && (
        <LaterCallsField approval={{ conversationId, userId: userId ?? null }} value={later} onChange={setLater} />
      )}
      {error !== null && <p role="alert">{error.message}</p>}
      <div className={styles.answer}>
        <Button
          look="main"
          icon="check"
          isBusy={isPending}
          onClick={() => mutate({ id, approved: true, ...(later !== undefined && { always: later }) })}
        >
          {later === undefined ? 'Approve' : 'Approve always'}
        </Button>
        <Button
          look="danger"
          icon="close"
          isBusy={isPending}
          onClick={() => mutate({ id, approved: false, ...(reason.trim() !== '' && { reason: reason.trim() }) })}
        >
          Deny
        </Button>
        <label htmlFor={reasonId}>because</label>
        <input
          id={reasonId}
          value={reason}
          placeholder="reason, optional"
          aria-label="Reason for denying"
          onChange={(event) => setReason(event.target.value)}
        />
      </div>
    </section>
  );
}
