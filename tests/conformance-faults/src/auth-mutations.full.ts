import { customAuth } from '@halyard/auth-custom';
import { authProviderCases, ConformanceError } from '@halyard/conformance';
import type { AuthProvider, User } from '@halyard/contracts';
import { expect, it } from 'vitest';

/** A fault, the case that must find it, and the code that plants it. */
type AuthFault = readonly [fault: string, foundBy: string, (provider: AuthProvider) => Partial<AuthProvider>];

const identifies = 'returns the user of a token';
const refuses = 'refuses invalid tokens';
const changed = 'refuses a valid token that was changed';
const ada: User = { id: 'ada' };

const faults: readonly AuthFault[] = [
  ['has no name', 'has a type', () => ({ type: '' })],
  ['has a text for routes', 'has a type', () => ({ publicRoutes: 'GET /hello' as never })],
  ['refuses everything', identifies, () => ({ verifyToken: () => null })],
  ['returns the token as the user', identifies, () => ({ verifyToken: (token) => token as never })],
  ['returns one user for every token', identifies, () => ({ verifyToken: () => ({ ...ada }) })],
  [
    'mixes up who comes at the same time',
    'distinguishes users of concurrent requests',
    ({ verifyToken }) => {
      let latest = '';
      return {
        verifyToken: async (token, request) => {
          latest = token;
          await Promise.resolve();
          return verifyToken(latest, request);
        },
      };
    },
  ],
  [
    'believes a header',
    'depends on the token only, not on the rest of the request',
    ({ verifyToken }) => ({
      verifyToken: async (token, request) => {
        const user = await verifyToken(token, request);
        const { 'x-user-id': claimed } = request.headers;
        return user !== null && typeof claimed === 'string' ? { ...user, id: claimed } : user;
      },
    }),
  ],
  [
    'returns the same object for each request',
    'returns a separate user object for each request',
    () => {
      const users = new Map<string, User>([
        ['ada', { id: 'ada' }],
        ['bob', { id: 'bob' }],
      ]);
      return { verifyToken: (token) => users.get(token) ?? null };
    },
  ],
  ['accepts every token', refuses, accepting((token) => ({ id: token }))],
  ['returns an empty object for an invalid token', refuses, accepting(() => ({}))],
  ['returns undefined for an invalid token', refuses, accepting(() => undefined as never)],
  ['returns false for an invalid token', refuses, accepting(() => false as never)],
  [
    'accepts what comes again',
    'refuses invalid tokens during and after the verification of valid ones',
    ({ verifyToken }) => {
      const seen = new Set<string>();
      return {
        verifyToken: async (token, request) => {
          const again = seen.has(token);
          seen.add(token);
          return (await verifyToken(token, request)) ?? (again ? { ...ada } : null);
        },
      };
    },
  ],
  ['compares only the first letters', changed, reading((token) => token.slice(0, 3))],
  ['compares only the last letters', changed, reading((token) => token.slice(-3))],
  ['overlooks what stands before a blank', changed, reading((token) => token.replace(/^Bearer /, ''))],
  ['reads the first of a list', changed, reading((token) => token.split(',')[0] ?? '')],
  ['ends at a zero', changed, reading((token) => token.split('\u0000')[0] ?? '')],
];

it.each(faults)('the suite finds a provider that %s', async (_fault, foundBy, fault) => {
  const provider = customAuth({
    type: 'names',
    verifyToken: (token) => (['ada', 'bob'].includes(token) ? { id: token } : null),
  });
  const found = authProviderCases.find(({ name }) => name === foundBy);
  const run = found?.run({
    provider: { ...provider, ...fault(provider) },
    validTokens: [
      { token: 'ada', subject: 'ada' },
      { token: 'bob', subject: 'bob' },
    ],
    refusedTokens: [{ name: 'of no user', token: 'eve' }],
  });
  await expect(run).rejects.toBeInstanceOf(ConformanceError);
});

it('has no case that finds no fault', () => {
  const found = new Set(faults.map(([, foundBy]) => foundBy));
  expect(authProviderCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

function accepting(instead: (token: string) => User): AuthFault[2] {
  return ({ verifyToken }) => ({
    verifyToken: async (token, request) => (await verifyToken(token, request)) ?? instead(token),
  });
}

function reading(read: (token: string) => string): AuthFault[2] {
  return ({ verifyToken }) => ({ verifyToken: (token, request) => verifyToken(read(token), request) });
}
