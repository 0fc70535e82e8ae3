import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { readRunData, runApi } from '../../api/run-client.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { notifyFailure } from '../../ui/toast.tsx';
import type { Feedback } from './conversations-query.ts';
import type { LaneSetup } from './lane.ts';
import styles from './playground.module.css';

type Rating = Feedback['rating'];

const buttons = [
  { rating: 'up', icon: 'like', label: 'Good answer' },
  { rating: 'down', icon: 'dislike', label: 'Bad answer' },
] as const;

/** Rates a reply. A second click withdraws the rating; a note can be added to it. */
export function ReplyFeedback({
  given,
  messageId,
  setup: { agent, conversationId, userId },
}: {
  /** The rating that is stored. */
  readonly given: Feedback | undefined;
  readonly messageId: string;
  readonly setup: Pick<LaneSetup, 'agent' | 'conversationId' | 'userId'>;
}): ReactNode {
  const [rating, setRating] = useState<Rating>(given?.rating ?? null);
  const [note, setNote] = useState<string>();
  const [said, setSaid] = useState(given?.note ?? '');
  const { isPending, mutate } = useMutation({
    mutationFn: (sent: { readonly rating: Rating; readonly note?: string }) => {
      const body = { conversationId, messageId, ...sent, ...(userId !== undefined && { userId }) };
      const path = { id: agent.id };
      return readRunData(runApi.POST('/agents/{id}/feedback', { params: { path }, body }));
    },
    onSuccess: (stored, sent) => {
      setRating(stored.rating);
      setSaid('Thank you');
      setNote(stored.rating === null || sent.note !== undefined ? undefined : '');
    },
    onError: notifyFailure,
  });
  return (
    <div className={styles.feedback} role="group" aria-label="Feedback">
      {buttons.map(({ icon, label, rating: offered }) => (
        <IconButton
          key={offered}
          icon={icon}
          label={label}
          aria-pressed={rating === offered}
          disabled={isPending}
          onClick={() => mutate({ rating: rating === offered ? null : offered })}
        />
      ))}
      {note !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            mutate({ rating, note });
          }}
        >
          <input
            aria-label="Note"
            placeholder="Why? (optional)"
            maxLength={2_000}
            dir="auto"
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
          <Button type="submit" disabled={note.trim() === ''} isBusy={isPending}>
            Add the note
          </Button>
        </form>
      )}
      {note === undefined && rating !== null && (
        <span role="status" dir="auto">
          {said}
        </span>
      )}
    </div>
  );
}
