import type { JsonObject } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject } from './any-object.ts';
import { memoryFields } from './memory-query.ts';

/** What is changed of a conversation: at least one of title and metadata. */
export const ConversationChange = Type.Object(
  {
    ...memoryFields,
    title: Type.Optional(Type.String()),
    metadata: Type.Optional(
      Type.Unsafe<JsonObject | null>(anyNullableObject({ description: 'Replaces the metadata as a whole.' })),
    ),
  },
  { $id: 'ConversationChange' },
);
export type ConversationChange = Static<typeof ConversationChange>;
