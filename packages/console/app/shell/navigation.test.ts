import { expect, it } from 'vitest';
import { keyPageAt, navigationFor } from './navigation.ts';

it('offers to a user only pages that a token opens', () => {
  const pagesOf = (isUser: boolean): readonly string[] =>
    navigationFor(isUser).flatMap(({ pages }) => pages.map(({ to }) => to));
  expect(pagesOf(true)).toEqual([
    '/approvals',
    '/playground',
    '/agents',
    '/workflows',
    '/tools',
    '/executions',
    '/conversations',
  ]);
  expect(pagesOf(false)).toEqual(expect.arrayContaining([...pagesOf(true), '/', '/traces', '/logs', '/system']));
  expect(navigationFor(true).map(({ title }) => title)).not.toContain('Server');
});

it.each([
  ['/', '/'],
  ['/traces', '/traces'],
  ['/traces/abc', '/traces'],
  ['/tracesque', undefined],
  ['/agents', undefined],
  ['/agents/system', undefined],
])('knows that for %s the page %s needs the key', (pathname, to) => {
  expect(keyPageAt(pathname)?.to).toBe(to);
});
