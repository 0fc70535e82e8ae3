import type {
  Conversation,
  ConversationFilter,
  Message,
  MessageFilter,
  Owner,
  StoredMessage,
} from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createInMemoryStorage } from '../in-memory-storage.ts';

/** A conversation as plain lists. */
interface Plain {
  conversation: Conversation;
  messages: StoredMessage[];
  workingMemory: string | undefined;
}

const orders = ['createdAt', 'updatedAt', 'title'] as const;
const owners: readonly Owner[] = ['anyone', { user: 'u0' }, { user: 'u1' }, { user: 'u2' }];

it('gives the same results as plain lists for random creates, writes, changes, copies and deletions', async () => {
  const random = seeded(11);
  let now = 1_000_000;
  let lastId = 0;
  const ids = { next: () => `copied-${(lastId += 1)}` };
  const { conversations, workingMemory } = createInMemoryStorage({ clock: { now: () => now }, ids });
  const plain = new Map<string, Plain>();
  const owned = (owner: Owner, id: string): Plain | undefined => {
    const found = plain.get(id);
    return owner === 'anyone' || found?.conversation.userId === owner.user ? found : undefined;
  };
  const touch = (stored: Plain, values: Partial<Conversation> = {}): void => {
    stored.conversation = { ...stored.conversation, ...values, updatedAt: now };
  };
  const put = (stored: Plain, message: Message): void => {
    const place = stored.messages.findIndex(({ id }) => id === message.id);
    const before = stored.messages[place];
    if (before === undefined) stored.messages.push({ ...message, createdAt: -1 });
    else stored.messages[place] = { ...message, createdAt: before.createdAt };
  };

  for (let turn = 0; turn < 6_000; turn += 1) {
    if (random(3) === 0) now += random(4) === 0 ? random(1_000) : 1;
    const id = `c${random(25)}`;
    const owner = owners[random(owners.length)] ?? 'anyone';
    const stored = owned(owner, id);
    const userId = owner === 'anyone' ? `u${random(3)}` : owner.user;
    const create = { id, userId, resourceId: `r${random(2)}`, title: `t${random(4)}`, metadata: { turn } };
    const made = { ...create, createdAt: now, updatedAt: now };
    const messageIds = Array.from({ length: random(4) }, () => `m${random(12)}`);

    switch (random(8)) {
      case 0:
        expect(await conversations.create(create)).toEqual(plain.has(id) ? undefined : made);
        if (!plain.has(id)) plain.set(id, { conversation: made, messages: [], workingMemory: undefined });
        break;
      case 1: {
        const title = `t${random(4)}`;
        if (stored !== undefined) touch(stored, { title });
        expect(await conversations.update(owner, id, { title })).toEqual(stored?.conversation);
        break;
      }
      case 2:
        expect(await conversations.delete(owner, id)).toBe(stored !== undefined);
        if (stored !== undefined) plain.delete(id);
        break;
      case 3: {
        const there = stored?.messages
          .filter((message) => messageIds.includes(message.id))
          .map((message) => message.id);
        expect(await conversations.deleteMessages(owner, id, messageIds)).toEqual(there);
        if (stored === undefined || there?.length === 0) break;
        stored.messages = stored.messages.filter((message) => !messageIds.includes(message.id));
        touch(stored);
        break;
      }
      case 4: {
        const clone = { id, newId: `c${random(25)}`, includeMessages: random(2) === 0 };
        const copied = await conversations.clone(owner, clone);
        if (stored === undefined) expect(copied).toBe('not-found');
        else if (plain.has(clone.newId)) expect(copied).toBe('taken');
        else {
          const conversation = { ...stored.conversation, id: clone.newId, createdAt: now, updatedAt: now };
          const messages = clone.includeMessages ? stored.messages : [];
          expect(copied).toEqual({ conversation, messageCount: messages.length });
          const first = lastId - messages.length + 1;
          const renamed = messages.map((message, index) => ({ ...message, id: `copied-${first + index}` }));
          plain.set(clone.newId, { conversation, messages: renamed, workingMemory: stored.workingMemory });
        }
        break;
      }
      case 5:
        if (stored !== undefined) stored.workingMemory = `${stored.workingMemory ?? ''}.`;
        await workingMemory.update(owner, { scope: 'conversation', conversationId: id }, (content) =>
          typeof content === 'string' ? `${content}.` : '.',
        );
        break;
      default: {
        const messages = messageIds.map((messageId): Message => ({
          id: messageId,
          role: random(2) === 0 ? 'user' : 'assistant',
          parts: [{ type: 'text', text: String(turn) }],
        }));
        const dropAfter = random(4) === 0 ? `m${random(12)}` : undefined;
        const isMade = random(2) === 0;
        const save = {
          conversationId: id,
          messages,
          ...(isMade && { create }),
          ...(dropAfter !== undefined && { dropAfter }),
        };
        const saved = await conversations.save(owner, save);
        if (stored === undefined && (!isMade || plain.has(id))) {
          expect(saved).toBe('not-found');
          break;
        }
        const written = stored ?? { conversation: made, messages: [], workingMemory: undefined };
        plain.set(id, written);
        const place = written.messages.findIndex((message) => message.id === dropAfter);
        const gone = place < 0 ? [] : written.messages.splice(place + 1).map((message) => message.id);
        for (const message of messages) put(written, message);
        const dropped = gone.filter((messageId) => !messageIds.includes(messageId));
        expect(saved).toEqual({ isNew: stored === undefined, dropped });
        if (stored !== undefined && (gone.length > 0 || messages.length > 0)) touch(written);
      }
    }

    await checkConversation(id);
    if (turn % 10 === 0) await checkLists();
  }

  /** Times of new messages are the store's to give: those that follow have later ones. */
  async function checkConversation(id: string): Promise<void> {
    const stored = plain.get(id);
    const found = await conversations.messages('anyone', id, { limit: 1_000 });
    expect(await conversations.isTaken(id)).toBe(stored !== undefined);
    expect(await workingMemory.read('anyone', { scope: 'conversation', conversationId: id })).toBe(
      stored?.workingMemory,
    );
    if (stored === undefined) {
      expect(found).toBeUndefined();
      return;
    }
    const times = found?.messages.map(({ createdAt }) => createdAt) ?? [];
    expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
    stored.messages = stored.messages.map((message, index) => {
      return message.createdAt >= 0 ? message : { ...message, createdAt: times[index] ?? 0 };
    });
    expect(found).toEqual({ conversation: stored.conversation, messages: stored.messages, hasMore: false });

    const [before, after] = [times[random(times.length + 1)], times[random(times.length + 1)]];
    const filter: MessageFilter = {
      limit: random(5),
      ...(before !== undefined && { before }),
      ...(after !== undefined && random(2) === 0 && { after }),
      ...(random(2) === 0 && { roles: ['user'] }),
    };
    const matching = stored.messages.filter(({ createdAt, role }) => {
      const isInTime = createdAt < (filter.before ?? Infinity) && createdAt > (filter.after ?? 0);
      return isInTime && (filter.roles === undefined || filter.roles.includes(role));
    });
    const page = await conversations.messages('anyone', id, filter);
    expect(page?.messages).toEqual(matching.slice(Math.max(0, matching.length - filter.limit)));
    expect(page?.hasMore).toBe(matching.length > filter.limit);
    const wanted = ['m3', 'm1', 'm3', 'm0'];
    const foundByIds = await conversations.findMessages('anyone', id, wanted);
    expect(foundByIds).toEqual(stored.messages.filter((message) => wanted.includes(message.id)));
  }

  async function checkLists(): Promise<void> {
    const owner = owners[random(owners.length)] ?? 'anyone';
    const filter: ConversationFilter = {
      orderBy: orders[random(orders.length)] ?? 'title',
      direction: random(2) === 0 ? 'asc' : 'desc',
      limit: random(6),
      offset: random(6),
      ...(random(2) === 0 && { userId: `u${random(3)}` }),
      ...(random(2) === 0 && { resourceId: `r${random(2)}` }),
    };
    const { orderBy, direction, limit, offset, userId, resourceId } = filter;
    const matching = [...plain.values()]
      .map(({ conversation }) => conversation)
      .filter((each) => owner === 'anyone' || each.userId === owner.user)
      .filter((each) => userId === undefined || each.userId === userId)
      .filter((each) => resourceId === undefined || each.resourceId === resourceId)
      .toSorted((one, other) => compare(one[orderBy], other[orderBy]) || compare(one.id, other.id));
    if (direction === 'desc') matching.reverse();
    const page = { conversations: matching.slice(offset, offset + limit), total: matching.length };
    expect(await conversations.list(owner, filter)).toEqual(page);
  }
});

function compare(one: string | number, other: string | number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
