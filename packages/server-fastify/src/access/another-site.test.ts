import { expect, it } from 'vitest';
import { isFromAnotherSite } from './another-site.ts';

type Headers = Parameters<typeof isFromAnotherSite>[0];

it.each<[string, Headers, string | undefined, boolean]>([
  ['a program that sends neither header', {}, 'a.test', false],
  ['a program that names no host either', {}, undefined, false],
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 'a.test', true],
  [
    'a page of another site with the own origin',
    { 'sec-fetch-site': 'cross-site', origin: 'http://a.test' },
    'a.test',
    true,
  ],
  [
    'an own page behind a proxy that replaces the host',
    { 'sec-fetch-site': 'same-origin', origin: 'http://a.test' },
    'b.test',
    false,
  ],
  [
    'a page of another host of the same site',
    { 'sec-fetch-site': 'same-site', origin: 'http://b.a.test' },
    'a.test',
    true,
  ],
  ['an own page', { origin: 'http://a.test' }, 'a.test', false],
  ['an own page behind a proxy that ends TLS', { origin: 'https://a.test' }, 'a.test', false],
  ['an own page when the port is that of the scheme', { origin: 'https://a.test' }, 'a.test:443', false],
  ['a page on the port of the other scheme', { origin: 'http://a.test' }, 'a.test:443', true],
  ['a page on another port', { origin: 'http://a.test:1' }, 'a.test:2', true],
  ['a page of another host', { origin: 'http://b.test' }, 'a.test', true],
  ['a page without an origin of its own', { origin: 'null' }, 'a.test', true],
  ['a local file', { origin: 'file:///a' }, '', true],
  ['an origin that was sent twice', { origin: ['http://a.test'] }, 'a.test', true],
  ['a page, when the host is unknown', { origin: 'http://undefined' }, undefined, true],
  ['a page, when the host is malformed', { origin: 'http://a.test' }, 'a b', true],
])('decides about %s', (_what, headers, host, isForeign) => {
  expect(isFromAnotherSite(headers, host)).toBe(isForeign);
});
