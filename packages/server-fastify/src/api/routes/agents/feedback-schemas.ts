import type { FeedbackRating } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { externalId, Id } from '../common-schemas.ts';

const Rating = Type.Unsafe<FeedbackRating | null>({
  type: ['string', 'null'],
  enum: ['up', 'down', null],
  description: 'Null withdraws the rating.',
});

/** The rating of one reply. */
export const FeedbackRequest = Type.Object(
  {
    conversationId: Id,
    messageId: Type.String({ minLength: 1, maxLength: 1_024, description: 'The id of the reply.' }),
    rating: Rating,
    note: Type.Optional(
      Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], {
        description: 'Not stored on servers that record no texts.',
      }),
    ),
    userId: Type.Optional(
      externalId('The user of the conversation. Optional for a verified user, who cannot name another user.'),
    ),
  },
  { $id: 'FeedbackRequest' },
);
export type FeedbackRequest = Static<typeof FeedbackRequest>;

/** What is stored. */
export const Feedback = Type.Object(
  { rating: Rating, note: Type.Union([Type.String(), Type.Null()]) },
  { $id: 'Feedback' },
);
export type Feedback = Static<typeof Feedback>;
