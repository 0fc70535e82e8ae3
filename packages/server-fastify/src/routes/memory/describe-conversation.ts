import type { Conversation as StoredConversation, StoredMessage as Stored } from '@halyard/contracts';
import { isoTime } from '@halyard/core';
import type { Conversation } from '../../schemas/conversation.ts';
import type { StoredMessage } from '../../schemas/stored-message.ts';

/** A conversation as clients read it. */
export function describeConversation(conversation: StoredConversation): Conversation {
  const { createdAt, id, metadata, resourceId, title, updatedAt, userId } = conversation;
  return { id, resourceId, userId, title, metadata, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

/** A message as clients read it. */
export function describeMessage({ createdAt, id, metadata, parts, role }: Stored): StoredMessage {
  return { id, role, parts, ...(metadata !== undefined && { metadata }), createdAt: isoTime(createdAt) };
}
