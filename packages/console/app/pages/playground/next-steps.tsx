import type { ReactNode } from 'react';
import { useIsRestricted } from '../../access/credential.ts';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import type { Suggestion } from '../agents/suggestions.ts';
import talk from '../agents/talk-to.module.css';
import styles from './next-steps.module.css';

interface QuestionsProps {
  readonly questions: readonly Suggestion[];
  readonly onAsk: (text: string) => void;
  readonly isDisabled?: boolean;
}

/** Questions that one click sends. */
export function Questions({ isDisabled = false, onAsk, questions }: QuestionsProps): ReactNode {
  return (
    <ul className={styles.questions} aria-label="Suggested questions">
      {questions.map(({ needsApproval, text }) => (
        <li key={text}>
          <button type="button" className={talk.question} disabled={isDisabled} dir="auto" onClick={() => onAsk(text)}>
            {text}
            {needsApproval && <Icon name="approvals" />}
            {needsApproval && <small>asks you first</small>}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The way on from a first reply: the questions that are left, and the trace of the reply. */
export function NextSteps({
  isBusy,
  traceId,
  ...questions
}: QuestionsProps & {
  /** Its place stays, so that nothing moves when the reply ends. */
  readonly isBusy: boolean;
  readonly traceId: string | undefined;
}): ReactNode {
  const isRestricted = useIsRestricted();
  return (
    <div className={styles.next} data-busy={isBusy || undefined}>
      <Questions {...questions} isDisabled={isBusy} />
      {traceId !== undefined && !isRestricted && (
        <LinkButton to="/traces/$traceId" params={{ traceId }} icon="traces">
          See what it did
        </LinkButton>
      )}
    </div>
  );
}
