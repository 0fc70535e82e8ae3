import type { ReactNode } from 'react';
import { ShieldIcon } from './icons.tsx';
import { ReadableValue } from './readable-value.tsx';

/** A tool call that a person has to approve. */
export interface PendingApproval {
  readonly approvalId: string;
  readonly toolName: string;
  readonly input: unknown;
}

interface ApprovalBarProps {
  readonly approval: PendingApproval;
  readonly onAnswer: (approved: boolean) => void;
}

/** Stands above the message field, so that it is always within reach. */
export function ApprovalBar({ approval: { input, toolName }, onAnswer }: ApprovalBarProps): ReactNode {
  const hasInput = typeof input === 'object' && input !== null && Object.keys(input).length > 0;
  return (
    <section className="approval" role="alert" aria-label={`Approval of ${toolName}`}>
      <ShieldIcon />
      <div className="approval-text">
        <p>
          May the agent run <code>{toolName}</code>?
        </p>
        {hasInput && <ReadableValue value={input} />}
      </div>
      <div className="choice">
        <button type="button" onClick={() => onAnswer(false)}>
          Deny
        </button>
        <button type="button" className="primary" onClick={() => onAnswer(true)}>
          Approve
        </button>
      </div>
    </section>
  );
}
