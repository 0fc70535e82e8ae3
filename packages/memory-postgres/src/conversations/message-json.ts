import { randomUUID } from 'node:crypto';
import type { Message, MessageSave, NewConversation, Owner } from '@halyard/contracts';
import { toText } from '../connection/text-codec.ts';

/** What `save_messages` takes of one write, as JSON. */
export function sentMessages(owner: Owner, { conversationId, create, dropAfter, messages }: MessageSave): string {
  return JSON.stringify({
    id: toText(conversationId),
    owner: owner === 'anyone' ? undefined : toText(owner.user),
    request: create === undefined && dropAfter === undefined ? undefined : randomUUID(),
    create: create && sentConversation(create),
    dropAfter: dropAfter === undefined ? undefined : toText(dropAfter),
    messages: eachOnce(messages).map(sentMessage),
  });
}

function sentConversation({ metadata, resourceId, title, userId }: NewConversation): object {
  return {
    resourceId: toText(resourceId),
    userId: toText(userId),
    title: toText(title),
    metadata: JSON.stringify(metadata),
  };
}

/** Where an id is there twice, what comes last replaces what came first. */
function eachOnce(messages: readonly Message[]): readonly Message[] {
  if (messages.length < 2) return messages;
  return new Map(messages.map((message) => [message.id, message])).values().toArray();
}

function sentMessage({ id, metadata, parts, role }: Message): object {
  return {
    id: toText(id),
    role,
    parts: JSON.stringify(parts),
    metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
  };
}
