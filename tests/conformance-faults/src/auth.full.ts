import { customAuth } from '@halyard/auth-custom';
import { authProviderCases } from '@halyard/conformance';
import type { AuthProvider, User } from '@halyard/contracts';
import type { FaultTable } from './faults.ts';
import { provesAllCases } from './proves-cases.ts';

type AuthFault = (provider: AuthProvider) => Partial<AuthProvider>;

const ada: User = { id: 'ada' };

const faults: FaultTable<AuthFault> = {
  'has a type': [() => ({ type: '' }), () => ({ publicRoutes: 'GET /hello' as never })],
  'returns the user of a token': [
    () => ({ verifyToken: () => null }),
    () => ({ verifyToken: (token) => token as never }),
    () => ({ verifyToken: () => ({ ...ada }) }),
  ],
  // Mixes up the requests of one time.
  'distinguishes users of concurrent requests': ({ verifyToken }) => {
    let latest = '';
    return {
      verifyToken: async (token, request) => {
        latest = token;
        await Promise.resolve();
        return verifyToken(latest, request);
      },
    };
  },
  // Believes a header.
  'depends on the token only, not on the rest of the request': ({ verifyToken }) => ({
    verifyToken: async (token, request) => {
      const user = await verifyToken(token, request);
      const { 'x-user-id': claimed } = request.headers;
      return user !== null && typeof claimed === 'string' ? { ...user, id: claimed } : user;
    },
  }),
  'returns a separate user object for each request': () => {
    const users = new Map<string, User>(['ada', 'bob'].map((id) => [id, { id }]));
    return { verifyToken: (token) => users.get(token) ?? null };
  },
  'refuses invalid tokens': [
    accepting((token) => ({ id: token })),
    accepting(() => ({})),
    accepting(() => undefined as never),
    accepting(() => false as never),
  ],
  // Accepts a token that comes again.
  'refuses invalid tokens during and after the verification of valid ones': ({ verifyToken }) => {
    const seen = new Set<string>();
    return {
      verifyToken: async (token, request) => {
        const again = seen.has(token);
        seen.add(token);
        return (await verifyToken(token, request)) ?? (again ? { ...ada } : null);
      },
    };
  },
  'refuses a valid token that was changed': [
    reading((token) => token.slice(0, 3)),
    reading((token) => token.slice(-3)),
    reading((token) => token.replace(/^Bearer /, '')),
    reading((token) => token.split(',')[0] ?? ''),
    reading((token) => token.split('\u0000')[0] ?? ''),
  ],
};

provesAllCases(authProviderCases, [faults], (fault) => {
  const provider = customAuth({
    type: 'names',
    verifyToken: (token) => (['ada', 'bob'].includes(token) ? { id: token } : null),
  });
  return {
    provider: { ...provider, ...fault(provider) },
    validTokens: ['ada', 'bob'].map((token) => ({ token, subject: token })),
    refusedTokens: [{ name: 'of no user', token: 'eve' }],
  };
});

function accepting(instead: (token: string) => User): AuthFault {
  return ({ verifyToken }) => ({
    verifyToken: async (token, request) => (await verifyToken(token, request)) ?? instead(token),
  });
}

function reading(read: (token: string) => string): AuthFault {
  return ({ verifyToken }) => ({ verifyToken: (token, request) => verifyToken(read(token), request) });
}
