import { type Static, Type } from '@sinclair/typebox';
import { SentMetadata } from './conversation.ts';
import { Id } from './id.ts';
import { memoryFields } from './memory-query.ts';

/** A conversation that is to be made. */
export const NewConversation = Type.Object(
  {
    ...memoryFields,
    conversationId: Type.Optional(Type.String({ pattern: Id.pattern, description: 'Default: an id is made.' })),
    resourceId: Type.Optional(
      Type.String({ pattern: Id.pattern, description: 'Default: the id of the agent, else `default`.' }),
    ),
    title: Type.Optional(Type.String({ description: 'Default: empty.' })),
    metadata: Type.Optional(SentMetadata),
  },
  { $id: 'NewConversation' },
);
export type NewConversation = Static<typeof NewConversation>;
