import type { Conversation as StoredConversation, StoredMessage as Stored } from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import type { Conversation, StoredMessage } from './schemas.ts';

export function describeConversation(conversation: StoredConversation): Conversation {
  const { createdAt, id, metadata, resourceId, title, updatedAt, userId } = conversation;
  return { id, resourceId, userId, title, metadata, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

export function describeMessage(
  { createdAt, id, metadata, parts, role }: Stored,
  feedback?: StoredMessage['feedback'],
): StoredMessage {
  return {
    id,
    role,
    parts,
    ...(metadata !== undefined && { metadata }),
    createdAt: isoTime(createdAt),
    ...(feedback !== undefined && { feedback }),
  };
}
