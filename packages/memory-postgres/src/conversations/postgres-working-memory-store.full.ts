import type { JsonValue } from '@halyard/contracts';
import { beforeEach, expect, it } from 'vitest';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { openForTests } from '../testing/open-for-test.ts';

const database = openForTests(embeddedForTests);
const ofUser = { scope: 'user', userId: 'ada' } as const;
const ofConversation = { scope: 'conversation', conversationId: 'c' } as const;
const nasty = 'NUL \0, halves \uD83E and \uDD86, whole 🦆, mark ␛0000';

beforeEach(async () => {
  await database.empty();
  const { conversations } = database.storage;
  await conversations.create({ id: 'c', resourceId: 'assistant', userId: 'ada', title: '', metadata: {} });
});

it.each([ofUser, ofConversation])('stores the result of an update: $scope', async (key) => {
  const { workingMemory } = database.storage;
  expect(await workingMemory.read('anyone', key)).toBeUndefined();
  expect(await workingMemory.update('anyone', key, (content) => [content ?? null, nasty])).toBe(true);
  expect(await workingMemory.update({ user: 'ada' }, key, (content) => ({ [nasty]: content ?? null }))).toBe(true);
  expect(await workingMemory.read({ user: 'ada' }, key)).toEqual({ [nasty]: [null, nasty] });
  expect(await workingMemory.update('anyone', key, () => undefined)).toBe(true);
  expect(await workingMemory.read('anyone', key)).toBeUndefined();
  expect(await workingMemory.update('anyone', key, (content) => content ?? 'first')).toBe(true);
  expect(await workingMemory.read('anyone', key)).toBe('first');
});

it.each([ofUser, ofConversation])('applies concurrent updates one after the other: $scope', async (key) => {
  const { workingMemory } = database.storage;
  const append = (name: string): Promise<boolean> =>
    workingMemory.update('anyone', key, (content) => [...listOf(content), name]);
  const names = Array.from({ length: 200 }, (_, index) => `${index}`);
  expect(new Set(await Promise.all(names.map(append)))).toEqual(new Set([true]));
  expect(await workingMemory.read('anyone', key)).toEqual(names);
});

it('rejects an update that throws, without affecting concurrent updates', async () => {
  const { workingMemory } = database.storage;
  const answers = await Promise.allSettled([
    workingMemory.update('anyone', ofUser, () => ['one']),
    workingMemory.update('anyone', ofUser, () => {
      throw new TypeError('not so');
    }),
    workingMemory.update('anyone', ofUser, (content) => [...listOf(content), 'two']),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await workingMemory.read('anyone', ofUser)).toEqual(['one', 'two']);
});

it('is not visible to other users, nor without its conversation', async () => {
  const { conversations, workingMemory } = database.storage;
  for (const key of [ofUser, ofConversation]) {
    await workingMemory.update('anyone', key, () => 'hers');
    expect(await workingMemory.read({ user: 'ben' }, key)).toBeUndefined();
    expect(await workingMemory.update({ user: 'ben' }, key, () => 'his')).toBe(false);
    expect(await workingMemory.read('anyone', key)).toBe('hers');
  }
  await conversations.delete('anyone', 'c');
  expect(await workingMemory.update('anyone', ofConversation, () => 'late')).toBe(false);
  expect(await database.query('select content from halyard.working_memory')).toEqual([{ content: '"hers"' }]);
});

function listOf(content: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(content) ? content : [];
}
