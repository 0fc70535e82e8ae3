import type { Message, MessagePage, MessagePart, StoredMessage } from '@halyard/contracts';
import { cutMark } from '../../model/cut-step.ts';

/** The first part of a stored message that a branch of the conversation has left out: it is kept, and no prompt contains it. */
const inactivePart: Extract<MessagePart, { type: 'custom' }> = {
  type: 'custom',
  kind: 'halyard.inactive',
  providerMetadata: cutMark,
};

/** Whether a stored message belongs to a branch that the conversation does not continue. */
export function isInactive({ parts }: { readonly parts: readonly MessagePart[] }): boolean {
  return parts.some(isInactivePart);
}

export function asInactive<Kept extends Message>(message: Kept): Kept {
  return { ...message, parts: [inactivePart, ...message.parts] };
}

export function asActive<Kept extends Message>(message: Kept): Kept {
  return isInactive(message) ? { ...message, parts: message.parts.filter((part) => !isInactivePart(part)) } : message;
}

function isInactivePart(part: MessagePart): boolean {
  return part.type === 'custom' && part.kind === inactivePart.kind;
}

interface PageRange {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** How many messages are read at least after a page with inactive ones. */
const nextPage = 50;

/** A page of active messages: older ones are read instead of those that are not. It is shorter than its limit only if there are no others, or if it has many bytes. */
export async function activePage<Page extends Pick<MessagePage, 'messages' | 'hasMore'>>(
  read: (range: PageRange) => Promise<Page | undefined>,
  range: PageRange,
  isActive: (message: StoredMessage) => boolean = (message) => !isInactive(message),
): Promise<Page | undefined> {
  const page = await read(range);
  if (page === undefined || page.messages.every(isActive)) return page;
  const active = page.messages.filter(isActive);
  let [asked, last] = [range.limit, page];
  // A page that is shorter was cut where it would have had too many bytes.
  while (last.hasMore && (active.length === 0 || (active.length < range.limit && last.messages.length === asked))) {
    asked = Math.max(nextPage, range.limit);
    const next = await read({ limit: asked, before: last.messages[0]?.createdAt });
    if (next === undefined) return undefined;
    active.unshift(...next.messages.filter(isActive));
    last = next;
  }
  const messages = active.slice(-range.limit);
  return { ...page, messages, hasMore: last.hasMore || messages.length < active.length };
}
