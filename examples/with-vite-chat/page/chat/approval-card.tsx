import type { PendingApproval } from '@halyard/react';
import type { ReactNode } from 'react';

interface ApprovalCardProps {
  readonly approval: PendingApproval;
  /** Undefined: the name of the tool and its input. */
  readonly question: string | undefined;
  readonly onAnswer: (isApproved: boolean) => void;
}

/**
 * The action that the agent proposes, and the two responses. The card stands above the field for
 * messages, where nothing covers it.
 */
export function ApprovalCard({ approval: { input, toolName }, onAnswer, question }: ApprovalCardProps): ReactNode {
  const given = JSON.stringify(input);
  return (
    <section className="approval" role="alert" aria-label="Your approval is needed">
      <div>
        <p className="kicker">Your approval is needed</p>
        <p className="question">{question ?? `Run ${toolName}${given === '{}' ? '' : ` with ${given}`}?`}</p>
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
