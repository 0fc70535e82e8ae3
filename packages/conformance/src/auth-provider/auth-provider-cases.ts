import type { AuthProvider, AuthRequest } from '@halyard/contracts';
import { check, checkEqual } from '../check.ts';
import type { AuthProviderCase, NamedToken } from './auth-provider-harness.ts';

/** The cases of every auth provider, with any kind of tokens. */
export const authProviderCases: readonly AuthProviderCase[] = [
  {
    name: 'has a type',
    run: async ({ provider }) => {
      const { type, publicRoutes = [], defaultPrivate = false } = provider;
      check(typeof type === 'string' && type !== '', 'The type should be a name');
      check(Array.isArray(publicRoutes) && publicRoutes.every(isText), 'The public routes should be texts');
      check(typeof defaultPrivate === 'boolean', 'defaultPrivate should be true or false');
    },
  },
  {
    name: 'returns the user of a token',
    run: async ({ provider, validTokens }) => {
      check(new Set(validTokens.map(({ subject }) => subject)).size > 1, 'The tokens should be of two people or more');
      for (const { token, subject } of validTokens) await checkSubject(provider, token, subject);
    },
  },
  {
    name: 'distinguishes users of concurrent requests',
    run: async ({ provider, validTokens }) => {
      const twice = [...validTokens, ...validTokens.toReversed(), ...validTokens];
      await Promise.all(twice.map(({ token, subject }) => checkSubject(provider, token, subject)));
    },
  },
  {
    name: 'depends on the token only, not on the rest of the request',
    run: async ({ provider, validTokens }) => {
      for (const { token, subject } of validTokens) {
        for (const other of validTokens) await checkSubject(provider, token, subject, claiming(other.subject));
      }
    },
  },
  {
    name: 'returns a separate user object for each request',
    run: async ({ provider, validTokens }) => {
      for (const { token, subject } of validTokens) {
        const user = await userOf(provider, token);
        if (typeof user === 'object' && user !== null) {
          Reflect.set(user, 'id', 'mallory');
          Reflect.set(user, 'sub', 'mallory');
        }
        await checkSubject(provider, token, subject);
      }
    },
  },
  {
    name: 'refuses invalid tokens',
    run: async ({ provider, refusedTokens }) => {
      check(refusedTokens.length > 0, 'There should be tokens to be refused');
      for (const refused of refusedTokens) await checkRefused(provider, refused);
    },
  },
  {
    name: 'refuses invalid tokens during and after the verification of valid ones',
    run: async ({ provider, refusedTokens, validTokens }) => {
      const valid = validTokens.map(({ token, subject }) => checkSubject(provider, token, subject));
      await Promise.all([...valid, ...refusedTokens.map((refused) => checkRefused(provider, refused))]);
      for (const refused of refusedTokens) await checkRefused(provider, refused);
      for (const { token, subject } of validTokens) await checkSubject(provider, token, subject);
    },
  },
  {
    name: 'refuses a valid token that was changed',
    run: async ({ provider, validTokens }) => {
      for (const { token, subject } of validTokens) {
        await checkSubject(provider, token, subject);
        for (const changed of changesOf(token)) await checkRefused(provider, changed);
      }
    },
  },
];

const request: AuthRequest = { method: 'GET', path: '/agents', headers: {}, address: '127.0.0.1' };

/** A request that names another user everywhere but in its token. */
function claiming(subject: string): AuthRequest {
  return {
    method: 'POST',
    path: `/agents/assistant/text?userId=${subject}&sub=${subject}`,
    headers: { 'x-user-id': subject, 'x-forwarded-user': subject, 'x-sub': subject, cookie: `user=${subject}` },
    address: '127.0.0.1',
  };
}

/** A provider that throws refuses the token. */
async function userOf(provider: AuthProvider, token: string, by: AuthRequest = request): Promise<unknown> {
  try {
    return await provider.verifyToken(token, by);
  } catch {
    return null;
  }
}

async function checkSubject(provider: AuthProvider, token: string, subject: string, by?: AuthRequest): Promise<void> {
  const user = await userOf(provider, token, by);
  check(isObject(user), `The token of ${subject} should be accepted with an object, but came to ${describe(user)}`);
  checkEqual(user['id'] ?? user['sub'], subject, 'The id of the user');
}

async function checkRefused(provider: AuthProvider, { name, token }: NamedToken): Promise<void> {
  const user = await userOf(provider, token);
  check(user === null, `A token that is wrong (${name}) should be refused, but came to ${describe(user)}`);
}

function changesOf(token: string): readonly NamedToken[] {
  const middle = Math.floor(token.length / 2);
  const changed = token[middle] === 'A' ? 'B' : 'A';
  return [
    { name: 'cut off at the end', token: token.slice(0, -1) },
    { name: 'cut off at the start', token: token.slice(1) },
    { name: 'half of it', token: token.slice(0, middle) },
    { name: 'longer by one', token: `${token}A` },
    { name: 'longer by a zero', token: `${token}\u0000` },
    { name: 'twice', token: `${token}${token}` },
    { name: 'another letter in it', token: `${token.slice(0, middle)}${changed}${token.slice(middle + 1)}` },
    { name: 'with its scheme', token: `Bearer ${token}` },
    { name: 'in a list', token: `${token},${token}` },
    { name: 'nothing', token: '' },
  ];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Without its contents: tokens of users must not appear in test reports. */
function describe(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
}
