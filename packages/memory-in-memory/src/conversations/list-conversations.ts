import type { Conversation, ConversationFilter, Owner } from '@halyard/contracts';
import { FirstFew } from '../executions/first-few.ts';
import type { ConversationTable } from './conversation-table.ts';
import type { KeptConversation } from './kept-conversation.ts';
import type { Link, LinkedList } from './linked-list.ts';

type Kept = LinkedList<KeptConversation>;

/** A page of what matches, and how many match in all. */
export function listConversations(
  table: ConversationTable,
  owner: Owner,
  filter: ConversationFilter,
): { readonly conversations: readonly Conversation[]; readonly total: number } {
  const userId = owner === 'anyone' ? filter.userId : owner.user;
  if (filter.userId !== undefined && filter.userId !== userId) return { conversations: [], total: 0 };

  const order = filter.orderBy === 'createdAt' ? 'createdAt' : 'updatedAt';
  const list = table.listOf(userId, filter.resourceId, order);
  if (list === undefined) return { conversations: [], total: 0 };
  const conversations = filter.orderBy === 'title' ? pageByTitle(list, filter) : pageByTime(list, order, filter);
  return { conversations, total: list.size };
}

/** The list is in order already, but for conversations of one moment: those are sorted by their ids, as far as the page goes. */
function pageByTime(
  list: Kept,
  order: 'createdAt' | 'updatedAt',
  { direction, offset, limit }: ConversationFilter,
): readonly Conversation[] {
  const isDown = direction === 'desc';
  const inOrder: Conversation[] = [];
  let momentFrom = 0;
  let link: Link<KeptConversation> | undefined = isDown ? list.newest : list.oldest;
  for (; link !== undefined; link = isDown ? link.older : link.newer) {
    const { record } = link.value;
    if (inOrder[momentFrom]?.[order] !== record[order]) {
      sortFrom(inOrder, momentFrom, isDown);
      momentFrom = inOrder.length;
      if (momentFrom >= offset + limit) break;
    }
    inOrder.push(record);
  }
  sortFrom(inOrder, momentFrom, isDown);
  return inOrder.slice(offset, offset + limit);
}

/** Sorts what is of one moment: all from this index on. */
function sortFrom(conversations: Conversation[], from: number, isDown: boolean): void {
  if (conversations.length - from < 2) return;
  const ofMoment = conversations.splice(from).toSorted((one, other) => compareText(one.id, other.id));
  if (isDown) ofMoment.reverse();
  for (const conversation of ofMoment) conversations.push(conversation);
}

function pageByTitle(list: Kept, { direction, offset, limit }: ConversationFilter): readonly Conversation[] {
  const sign = direction === 'desc' ? -1 : 1;
  const first = new FirstFew<Conversation>(
    offset + limit,
    (one, other) => sign * (compareText(one.title, other.title) || compareText(one.id, other.id)),
  );
  for (let link = list.oldest; link !== undefined; link = link.newer) first.add(link.value.record);
  return first.inOrder().slice(offset);
}

/** By code points, as databases do that compare bytes of UTF-8: `<` would put emoji before the last of the other characters. */
function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return one.length - other.length;
}

function rank(codeUnit: number): number {
  return codeUnit >= 0xd800 && codeUnit <= 0xdfff ? codeUnit + 0x10000 : codeUnit;
}
