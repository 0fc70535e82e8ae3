import { createHash } from 'node:crypto';
import type { Conversation, Owner, StoredMessage } from '@halyard/contracts';
import type { Services } from '../../services.ts';
import { readTelemetry } from '../observability/observability.ts';
import type { Feedback } from './feedback-schemas.ts';

interface Rated {
  readonly conversation: Pick<Conversation, 'createdAt' | 'id'>;
  readonly messages: readonly Pick<StoredMessage, 'createdAt'>[];
  readonly user: string | undefined;
}

const mostRatings = 1_000;
/** How much the clocks of the store and of a server may differ, in milliseconds. */
const clockSkewMs = 60_000;

/** The ratings that a user has given to replies of a conversation, by the ids of the replies. */
export async function findFeedback(
  { conversation, messages, user }: Rated,
  owner: Owner,
  services: Services,
): Promise<ReadonlyMap<string, Feedback>> {
  const store = await readTelemetry(services);
  const last = messages.at(-1);
  if (store === undefined || last === undefined) return new Map();
  // A rating has the start time of its run.
  const { spans } = await store.listSpans(owner, {
    entityType: 'feedback',
    userId: user,
    from: conversation.createdAt - clockSkewMs,
    to: last.createdAt + clockSkewMs,
    limit: mostRatings,
    offset: 0,
  });
  return new Map(
    spans.flatMap(({ attributes, spanId }): [string, Feedback][] => {
      const messageId = String(attributes['halyard.message.id']);
      const rating = attributes['entity.id'];
      if (spanId !== feedbackId(conversation.id, messageId, user)) return [];
      if (rating !== 'up' && rating !== 'down') return [];
      const note = attributes['halyard.feedback.note'];
      return [[messageId, { rating, note: typeof note === 'string' ? note : null }]];
    }),
  );
}

/** The same for each rating of a reply by one user, so that a later one replaces it. */
export function feedbackId(conversationId: string, messageId: string, user: string | undefined): string {
  const key = JSON.stringify(['feedback', conversationId, messageId, user ?? null]);
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}
