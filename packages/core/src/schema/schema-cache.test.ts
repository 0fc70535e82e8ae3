import { expect, it } from 'vitest';
import { SchemaCache } from './schema-cache.ts';

it('lets the least recently used entry go when there are too many', () => {
  const cache = new SchemaCache<number>(2, 100);
  cache.add('a', 1);
  cache.add('b', 2);
  expect(cache.find('a')).toBe(1);
  cache.add('c', 3);
  expect([cache.find('a'), cache.find('b'), cache.find('c')]).toEqual([1, undefined, 3]);
});

it('lets as many go as their text needs room', () => {
  const cache = new SchemaCache<number>(10, 10);
  cache.add('aaaa', 1);
  cache.add('bbbb', 2);
  cache.add('cccccccc', 3);
  expect([cache.find('aaaa'), cache.find('bbbb'), cache.find('cccccccc')]).toEqual([undefined, undefined, 3]);
  cache.add('d'.repeat(11), 4);
  expect(cache.size).toBe(0);
});

it('counts an entry that is replaced or deleted once', () => {
  const cache = new SchemaCache<number>(10, 8);
  cache.add('aaaa', 1);
  cache.add('aaaa', 2);
  cache.add('bbbb', 3);
  expect([cache.find('aaaa'), cache.find('bbbb')]).toEqual([2, 3]);
  cache.delete('aaaa');
  cache.delete('aaaa');
  cache.add('cccc', 4);
  expect(cache.size).toBe(2);
});
