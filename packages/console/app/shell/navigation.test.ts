import { expect, it } from 'vitest';
import { closedPageAt, navigationFor, type Opened } from './navigation.ts';

const user: Opened = { isRestricted: true, isOwner: false };
const viewer: Opened = { isRestricted: false, isOwner: false };
const owner: Opened = { isRestricted: false, isOwner: true };

it('offers to a person only pages that the credential opens', () => {
  const pagesOf = (opened: Opened): readonly string[] =>
    navigationFor(opened).flatMap(({ pages }) => pages.map(({ to }) => to));
  expect(pagesOf(user)).toEqual([
    '/approvals',
    '/playground',
    '/agents',
    '/workflows',
    '/tools',
    '/executions',
    '/conversations',
  ]);
  expect(pagesOf(viewer)).toEqual(expect.arrayContaining([...pagesOf(user), '/', '/traces', '/logs', '/system']));
  expect(pagesOf(viewer)).not.toContain('/audit');
  expect(pagesOf(owner)).toEqual(expect.arrayContaining([...pagesOf(viewer), '/audit']));
  expect(navigationFor(user).map(({ title }) => title)).not.toContain('Server');
});

it.each([
  ['/', '/'],
  ['/traces', '/traces'],
  ['/traces/abc', '/traces'],
  ['/tracesque', undefined],
  ['/agents', undefined],
  ['/agents/system', undefined],
  ['/audit', '/audit'],
])('knows that for %s the page %s is closed to a user', (pathname, to) => {
  expect(closedPageAt(pathname, user)?.to).toBe(to);
  expect(closedPageAt(pathname, owner)).toBeUndefined();
});
