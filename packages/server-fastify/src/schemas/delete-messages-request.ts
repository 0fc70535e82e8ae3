import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';
import { memoryFields } from './memory-query.ts';

/** Messages of one conversation that are to be deleted. */
export const DeleteMessagesRequest = Type.Object(
  { ...memoryFields, conversationId: Id, messageIds: Type.Array(Id, { minItems: 1 }) },
  { $id: 'DeleteMessagesRequest' },
);
export type DeleteMessagesRequest = Static<typeof DeleteMessagesRequest>;
