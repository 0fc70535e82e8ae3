import { expect, it } from 'vitest';
import { AnswerLinks } from './answer-links.ts';

const request = { executionId: 'e-1', suspensionId: '1.1-abc' };
let now = 0;
const clock = { now: () => now };
const links = new AnswerLinks(['new', 'old'], clock);

it('reads a link until it expires', () => {
  now = 5_000;
  const token = links.issue({ request, to: { id: 'grace' }, expiryMs: 1_000 });
  now = 6_000;
  expect(links.read(token)).toEqual({ request, to: { id: 'grace' }, expiresAt: 6_000 });
  now = 6_001;
  expect(links.read(token)).toBeUndefined();
});

it('reads links and forms of an older secret, and none of another one', () => {
  const link = { request, to: { id: 'grace' }, expiryMs: 1_000 };
  const old = new AnswerLinks(['old'], clock);
  const token = old.issue(link);
  expect(links.read(token)).toBeDefined();
  expect(links.isForm(old.issueForm(token, 'key'), token, 'key')).toBe(true);
  expect(old.read(links.issue(link))).toBeUndefined();
  expect(new AnswerLinks(['another'], clock).read(token)).toBeUndefined();
});

it('reads nothing that was changed', () => {
  const token = links.issue({ request, to: { id: 'grace' }, expiryMs: 1_000 });
  const [payload = '', signature = ''] = token.split('.');
  const changed = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('grace', 'mallory')).toString(
    'base64url',
  );
  for (const wrong of [
    '',
    payload,
    `${payload}.`,
    `.${signature}`,
    `${changed}.${signature}`,
    `${token}A`,
    `${payload}.${'A'.repeat(43)}`,
    // A form is signed with the same secret.
    `${payload}.${links.issueForm(token, 'key')}`,
  ])
    expect(links.read(wrong)).toBeUndefined();
});

it('accepts a form for its link and its request only', () => {
  const [token, other] = ['grace', 'linus'].map((id) => links.issue({ request, to: { id }, expiryMs: 1_000 }));
  const form = links.issueForm(token ?? '', 'key');
  expect(links.isForm(form, token ?? '', 'key')).toBe(true);
  expect(links.isForm(form, other ?? '', 'key')).toBe(false);
  expect(links.isForm(form, token ?? '', 'another key')).toBe(false);
  expect(links.isForm('', token ?? '', 'key')).toBe(false);
});
