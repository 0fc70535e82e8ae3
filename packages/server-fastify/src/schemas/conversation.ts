import type { JsonObject } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, anyObject } from './any-object.ts';
import { Id } from './id.ts';

/** Metadata as they are sent. */
export const SentMetadata = Type.Unsafe<JsonObject | null>(
  anyNullableObject({ description: 'Any JSON, kept with the conversation.' }),
);

/** A conversation of one user with an agent; its messages are read apart. */
export const Conversation = Type.Object(
  {
    id: Type.String(),
    resourceId: Type.String({ description: 'What it belongs to: the id of the agent, or what the app chose.' }),
    userId: Type.String(),
    title: Type.String({ description: 'Empty where it has none.' }),
    metadata: anyObject({ description: 'As it was given.' }),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({
      format: 'date-time',
      description: 'When it was changed, or a message written, for the last time.',
    }),
  },
  { $id: 'Conversation' },
);
export type Conversation = Static<typeof Conversation>;

/** A conversation as paths name it. */
export const ConversationParams = Type.Object({ conversationId: Id });
export type ConversationParams = Static<typeof ConversationParams>;
