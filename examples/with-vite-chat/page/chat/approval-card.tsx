import type { PendingApproval } from '@halyard/react';
import type { ReactNode } from 'react';

interface ApprovalCardProps {
  readonly approval: PendingApproval;
  readonly onAnswer: (isApproved: boolean) => void;
}

/** What the agent wants to do, and the two answers. It stands above the field for messages, where nothing covers it. */
export function ApprovalCard({ approval: { input, toolName }, onAnswer }: ApprovalCardProps): ReactNode {
  return (
    <section className="approval" role="alert" aria-label="Your approval is needed">
      <div>
        <p className="kicker">Your approval is needed</p>
        <p className="question">{questionOf(toolName, input)}</p>
      </div>
      <div className="choice">
        <button type="button" onClick={() => onAnswer(false)}>
          Decline
        </button>
        <button type="button" className="primary" onClick={() => onAnswer(true)}>
          Approve
        </button>
      </div>
    </section>
  );
}

function questionOf(toolName: string, input: unknown): string {
  if (toolName === 'bookBerth' && typeof input === 'object' && input !== null && 'berth' in input && 'nights' in input)
    return `Book berth ${String(input.berth)} for ${String(input.nights)} nights?`;
  return `Run ${toolName} with ${JSON.stringify(input)}?`;
}
