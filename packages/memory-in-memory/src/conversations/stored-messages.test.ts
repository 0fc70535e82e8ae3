import { describe, expect, it } from 'vitest';
import { StoredMessages } from './stored-messages.ts';

describe.each([3, 100])('%i messages of a conversation', (count) => {
  it('are found by their ids after others are deleted', () => {
    const messages = new StoredMessages();
    const ids = Array.from({ length: count }, (_, index) => `m-${index}`);
    for (const id of ids) messages.put({ id, role: 'user', parts: [] }, 0);
    const [first = '', second = '', third = ''] = ids;
    const one = messages.bytes / count;

    messages.put({ id: second, role: 'assistant', parts: [] }, 0);
    expect(messages.find([third, second]).map(({ role }) => role)).toEqual(['assistant', 'user']);
    messages.delete([second, 'unknown']);
    expect(messages.find([second])).toEqual([]);
    messages.keepNewest(count - 2);
    expect(messages.find([first, third]).map(({ id }) => id)).toEqual([third]);
    messages.put({ id: first, role: 'user', parts: [] }, 0);
    expect(messages.all().map(({ id }) => id)).toEqual([...ids.slice(2), first]);
    expect(messages.bytes).toBe((count - 1) * one);

    expect(messages.idsAfter(third)).toEqual([...ids.slice(3), first]);
    messages.delete([...ids.slice(3), first]);
    expect(messages.find(ids).map(({ id }) => id)).toEqual([third]);
    expect(messages.bytes).toBe(one);
  });

  it('are distinguished from others with similar ids', () => {
    const messages = new StoredMessages();
    const ids = Array.from({ length: count }, (_, index) => `${String(index).padStart(4, '0')}-the-same-end`);
    for (const id of ids) messages.put({ id, role: 'user', parts: [] }, 0);
    for (const [index, id] of ids.entries()) messages.put({ id, role: index % 2 ? 'user' : 'tool', parts: [] }, 0);

    expect(messages.all().map(({ id }) => id)).toEqual(ids);
    expect(messages.all().map(({ role }) => role)).toEqual(ids.map((_, index) => (index % 2 ? 'user' : 'tool')));
    expect(messages.find(['9999-the-same-end'])).toEqual([]);
    messages.delete(messages.idsAfter(ids[1] ?? ''));
    expect(messages.find(ids).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });

  it('are the newest of those that were added', () => {
    const messages = new StoredMessages();
    const all = Array.from({ length: 6 * count + 100 }, (_, index) => `m-${index}`);
    for (const [index, id] of all.entries()) {
      messages.put({ id, role: index % 2 ? 'user' : 'assistant', parts: [{ type: 'text', text: id }] }, index);
      messages.keepNewest(count);
      const newest = all.slice(Math.max(0, index + 1 - count), index + 1);
      const [oldest = ''] = newest;

      expect(messages.size).toBe(newest.length);
      expect(messages.all().map((message) => message.id)).toEqual(newest);
      expect(messages.newest({ limit: index + 1, after: -1 })).toEqual({ messages: messages.all(), hasMore: false });
      expect(messages.newest({ limit: count, roles: ['user', 'assistant'] }).messages).toEqual(messages.all());
      expect(messages.newest({ limit: 1, before: index + 1 }).messages).toHaveLength(Math.min(1, newest.length - 1));
      expect(messages.find(all).map((message) => message.id)).toEqual(newest);
      messages.put({ id: oldest, role: 'user', parts: [{ type: 'text', text: oldest }] }, index);
      expect(messages.all().map((message) => message.id)).toEqual(newest);
    }
    const [first = '', second = '', ...others] = all.slice(-count);
    messages.delete([first]);
    expect(messages.idsAfter(second)).toEqual(others);
    messages.delete(others);
    expect(messages.all().map(({ id }) => id)).toEqual([second]);
    messages.keepNewest(0);
    expect(messages).toMatchObject({ size: 0, bytes: 0 });
  });

  it('are the newest of some roles', () => {
    const messages = new StoredMessages();
    for (let index = 0; index < count; index += 1)
      messages.put({ id: `m-${index}`, role: index % 3 === 1 ? 'tool' : 'user', parts: [] }, 0);

    const users = messages.all().filter(({ role }) => role === 'user');
    expect(messages.newest({ limit: 2, roles: ['user'] })).toEqual({
      messages: users.slice(-2),
      hasMore: users.length > 2,
    });
    expect(messages.newest({ limit: 0, roles: ['user'] }).messages).toEqual([]);
    expect(messages.newest({ limit: count, roles: ['user', 'tool'] }).messages).toEqual(messages.all());
    expect(messages.newest({ limit: count, roles: ['assistant'] }).messages).toEqual([]);
  });
});
