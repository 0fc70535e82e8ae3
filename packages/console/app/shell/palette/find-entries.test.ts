import { expect, it } from 'vitest';
import { type Entry, findEntries, kindsOfId } from './find-entries.ts';

const entry = (name: string, more: Partial<Entry> = {}): Entry => ({
  id: name,
  group: 'Pages',
  name,
  run: () => {},
  ...more,
});
const entries = [
  entry('Traces'),
  entry('Retraced orders', { group: 'Conversations', isMany: true, hint: 'c-17' }),
  entry('Front desk', { group: 'Agents', hint: 'front-desk' }),
  entry('Talk to Front desk', { group: 'Actions' }),
];
const found = (query: string): readonly string[] => findEntries(entries, query).map(({ name }) => name);

it('shows everything of which there are few before anything is searched', () => {
  expect(found(' ')).toEqual(['Traces', 'Front desk', 'Talk to Front desk']);
});

it('finds by name, hint and group, what begins with the text first', () => {
  expect(found('TRACE')).toEqual(['Traces', 'Retraced orders']);
  expect(found('front')).toEqual(['Front desk', 'Talk to Front desk']);
  expect(found('desk front')).toEqual(['Front desk', 'Talk to Front desk']);
  expect(found('c-17')).toEqual(['Retraced orders']);
  expect(found('agents')).toEqual(['Front desk']);
  expect(found('nothing')).toEqual([]);
});

it('knows what a text may be the id of', () => {
  expect(kindsOfId('a'.repeat(32))).toEqual(['trace']);
  expect(kindsOfId('0123456789abcdef')).toEqual(['span', 'conversation', 'user']);
  expect(kindsOfId('ada@example.com')).toEqual(['conversation', 'user']);
  expect(kindsOfId('two words')).toEqual([]);
  expect(kindsOfId('a/b')).toEqual([]);
});
