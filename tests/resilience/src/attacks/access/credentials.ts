import type { Target } from '../harness/target.ts';
import { consoleKey, signToken } from '../harness/tokens.ts';

/** The credentials of a request. */
export interface Carried {
  /** The row of the table of expectations. */
  readonly row: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

const dev = { 'x-service-dev': 'true' };
const bearer = (token: string, row: string): Carried => ({ row, headers: { authorization: `Bearer ${token}` } });
const inHeaders = (headers: Readonly<Record<string, string>>, row: string): Carried => ({ row, headers });
const inQuery = (query: string, row: string): Carried => ({ row, query });

function inAnotherCase(text: string): string {
  const lower = text.toLowerCase();
  return lower === text ? text.toUpperCase() : lower;
}

interface Keys {
  readonly token: string;
  readonly eve: string;
  readonly key: string;
}

/** Credentials by name. Those that are not known of a server are left out. */
export function credentialsOf(target: Target): Readonly<Record<string, Carried>> {
  const keys = keysOf(target);
  const all = namedCredentials({ token: 'unknown', eve: 'unknown', key: 'unknown', ...keys });
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name]) =>
        (keys.token !== undefined || !/\bada\b|^bearer in|^basic|^token in|^token with another/.test(name)) &&
        (keys.eve !== undefined || !name.includes('eve')) &&
        (keys.key !== undefined || !/^key|^token of ada as key|, key in/.test(name)) &&
        (target.isOwn || name !== 'token of a service'),
    ),
  );
}

function keysOf(target: Target): Partial<Keys> {
  if (target.isOwn) return { token: signToken({ sub: 'ada' }), eve: signToken({ sub: 'eve' }), key: consoleKey };
  const [token, eve] = [target.headersOf('ada'), target.headersOf('bob')].map((headers) =>
    headers['authorization']?.replace('Bearer ', ''),
  );
  const key = target.headersOf('console')['x-console-access-key'];
  return {
    ...(token !== undefined && { token }),
    ...(eve !== undefined && { eve }),
    ...(key !== undefined && { key }),
  };
}

/** The rows are those of `testing/access-tables.ts` in `server-fastify`. */
function namedCredentials({ eve, key: secretKey, token: ada }: Keys): Readonly<Record<string, Carried>> {
  const key = { 'x-console-access-key': secretKey };
  const keyInQuery = encodeURIComponent(secretKey);
  return {
    none: { row: 'none' },
    'token with another signature': bearer(`${ada.slice(0, -3)}${ada.endsWith('AAA') ? 'BBB' : 'AAA'}`, 'bad token'),
    'token of another key': bearer(signToken({ sub: 'ada' }, { key: 'x'.repeat(32) }), 'bad token'),
    'expired token': bearer(signToken({ sub: 'ada', exp: 1_000 }), 'expired token'),
    'token that is not valid yet': bearer(signToken({ sub: 'ada', nbf: 4_000_000_000 }), 'bad token'),
    'token for another audience': bearer(signToken({ sub: 'ada', aud: 'https://other.example' }), 'bad token'),
    'token of another issuer': bearer(signToken({ sub: 'ada', iss: 'https://other.example' }), 'bad token'),
    'token without expiry as text': bearer(signToken({ sub: 'ada', exp: '4102444800' }), 'bad token'),
    'token of no algorithm': bearer(signToken({ sub: 'ada' }, { alg: 'none' }), 'token of no algorithm'),
    'token of another algorithm': bearer(signToken({ sub: 'ada' }, { alg: 'HS512' }), 'token of another algorithm'),
    'token of ada': bearer(ada, 'token of ada'),
    'token of eve': bearer(eve, 'token of eve'),
    'token of a service': bearer(signToken({ scope: 'metrics' }), 'token of a service'),
    'bearer in capitals': inHeaders({ authorization: `BEARER ${ada}` }, 'bearer in capitals'),
    'basic authorization': inHeaders({ authorization: `Basic ${ada}` }, 'basic authorization'),
    'bearer of nothing': inHeaders({ authorization: 'Bearer ' }, 'bearer of nothing'),
    'token in query': inQuery(`token=${ada}`, 'token in query'),
    'token in access_token': inQuery(`access_token=${ada}`, 'none'),
    'token in cookie': inHeaders({ cookie: `token=${ada}; authorization=Bearer ${ada}` }, 'none'),
    'key in header': inHeaders(key, 'key in header'),
    'key in query': inQuery(`key=${keyInQuery}`, 'key in query'),
    'key in cookie': inHeaders({ cookie: `key=${keyInQuery}; x-console-access-key=${keyInQuery}` }, 'none'),
    'key in api_key': inQuery(`api_key=${keyInQuery}`, 'none'),
    'key in another case': inHeaders({ 'x-console-access-key': inAnotherCase(secretKey) }, 'key in another case'),
    'wrong key in header': inHeaders({ 'x-console-access-key': `${secretKey}x` }, 'wrong key in header'),
    'wrong key in query': inQuery(`key=${keyInQuery.slice(1)}`, 'wrong key in query'),
    'empty key in header': inHeaders({ 'x-console-access-key': '' }, 'empty key in header'),
    'empty key in query': inQuery('key=', 'empty key in query'),
    'key twice in query': inQuery(`key=${keyInQuery}&key=${keyInQuery}`, 'key twice in query'),
    'wrong header, key in query': {
      ...inHeaders({ 'x-console-access-key': 'no' }, 'wrong header, key in query'),
      query: `key=${keyInQuery}`,
    },
    'key in header, wrong in query': { ...inHeaders(key, 'key in header, wrong in query'), query: 'key=no' },
    'key and token of ada': inHeaders({ ...key, authorization: `Bearer ${ada}` }, 'key and token of ada'),
    'key and bad token': inHeaders({ ...key, authorization: 'Bearer no' }, 'key and bad token'),
    'wrong key and token of ada': inHeaders(
      { 'x-console-access-key': 'no', authorization: `Bearer ${ada}` },
      'wrong key and token of ada',
    ),
    'key as token': bearer(secretKey, 'key as token'),
    'token of ada as key': inHeaders({ 'x-console-access-key': ada }, 'token of ada as key'),
    'dev header': inHeaders(dev, 'dev header'),
    'dev header from another site': inHeaders(
      { ...dev, 'sec-fetch-site': 'cross-site' },
      'dev header from another site',
    ),
    'dev header with foreign origin': inHeaders(
      { ...dev, origin: 'http://evil.example' },
      'dev header with foreign origin',
    ),
    'dev header with origin null': inHeaders({ ...dev, origin: 'null' }, 'dev header with origin null'),
    'dev header in capitals': inHeaders({ 'x-service-dev': 'TRUE' }, 'dev header in capitals'),
    'dev query': inQuery('dev=true', 'dev query'),
    'dev header and bad token': inHeaders({ ...dev, authorization: 'Bearer no' }, 'dev header and bad token'),
    'dev header and wrong key': inHeaders({ ...dev, 'x-console-access-key': 'no' }, 'dev header and wrong key'),
  };
}

/**
 * Without access control, and on routes that legacy mode leaves open, pages of other sites must not
 * change anything.
 */
export const fromAnotherSite: ReadonlySet<string> = new Set([
  'dev header from another site',
  'dev header with foreign origin',
  'dev header with origin null',
]);

/** Credentials of WebSockets: who is let in with them. `dev`: only in development. */
export function socketCredentialsOf(
  target: Target,
): readonly (readonly [string, Carried, 'key' | 'token' | 'dev' | 'nobody'])[] {
  const { key: secretKey, token: ada } = keysOf(target);
  const keyInQuery = encodeURIComponent(secretKey ?? 'unknown');
  const all: ReturnType<typeof socketCredentialsOf> = [
    ['none', { row: 'none' }, 'nobody'],
    ['wrong key', inQuery(`key=${keyInQuery.slice(1)}`, ''), 'nobody'],
    ['empty key', inQuery('key=', ''), 'nobody'],
    ['key in query', inQuery(`key=${keyInQuery}`, ''), 'key'],
    ['key in header', inHeaders({ 'x-console-access-key': secretKey ?? '' }, ''), 'key'],
    ['token in query', inQuery(`token=${ada}`, ''), 'token'],
    ['token in header', inHeaders({ authorization: `Bearer ${ada}` }, ''), 'token'],
    ['expired token in query', inQuery(`token=${signToken({ sub: 'ada', exp: 1_000 })}`, ''), 'nobody'],
    ['unsigned token in query', inQuery(`token=${signToken({ sub: 'ada' }, { alg: 'none' })}`, ''), 'nobody'],
    ['dev in query', inQuery('dev=true', ''), 'dev'],
    ['dev in header', inHeaders(dev, ''), 'nobody'],
    ['dev of another site', { ...inHeaders({ origin: 'http://evil.example' }, ''), query: 'dev=true' }, 'nobody'],
  ];
  return all.filter(
    ([, , kind]) => (kind !== 'key' || secretKey !== undefined) && (kind !== 'token' || ada !== undefined),
  );
}
