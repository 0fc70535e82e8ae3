import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';
import { memoryFields } from './memory-query.ts';
import { nullableObject } from './nullable-object.ts';

/** How a conversation is copied. */
export const ConversationClone = nullableObject(
  {
    ...memoryFields,
    newConversationId: Type.Optional(Type.String({ pattern: Id.pattern, description: 'Default: an id is made.' })),
    title: Type.Optional(Type.String({ description: 'Default: that of the original.' })),
    includeMessages: Type.Optional(Type.Boolean({ description: 'Default: true.' })),
  },
  { $id: 'ConversationClone' },
);
export type ConversationClone = Static<typeof ConversationClone>;
