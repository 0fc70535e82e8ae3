import { createHmac, timingSafeEqual } from 'node:crypto';
import { type AuthProvider, InvalidInputError } from '@halyard/contracts';

export const consoleKey = 'Console-Key-Of-The-Matrix';
/** The time of the test, in seconds. */
const now = 1_800_000_000;
const secret = 'a secret of the matrix, 32 bytes and more';

export function tokenOf(claims: object, alg = 'HS256', key = secret): string {
  const head = `${encode({ alg, typ: 'JWT' })}.${encode({ exp: now + 3_600, ...claims })}`;
  return `${head}.${alg === 'none' ? '' : sign(head, alg, key)}`;
}

/** Accepts HS256 only. */
export const provider: AuthProvider = {
  type: 'matrix',
  verifyToken: async (token) => {
    const [header = '', claims = '', signature = ''] = token.split('.');
    const { alg } = JSON.parse(decode(header)) as { alg: string };
    const expected = Buffer.from(sign(`${header}.${claims}`, 'HS256', secret));
    const given = Buffer.from(signature);
    if (alg !== 'HS256' || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
    const { exp, ...user } = JSON.parse(decode(claims)) as { exp: number };
    if (exp < now) throw new InvalidInputError('expired');
    return user;
  },
};

/** The credentials of a request. */
export interface Carried {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

const ada = tokenOf({ id: 'ada' });
const bearer = (token: string): Carried => ({ headers: { authorization: `Bearer ${token}` } });
const dev = { 'x-service-dev': 'true' };
const key = { 'x-console-access-key': consoleKey };
const inQuery = encodeURIComponent(consoleKey);

export const carried: Readonly<Record<string, Carried>> = {
  none: {},
  'bad token': bearer(`${ada.slice(0, -3)}${ada.endsWith('AAA') ? 'BBB' : 'AAA'}`),
  'expired token': bearer(tokenOf({ id: 'ada', exp: 1 })),
  'token of no algorithm': bearer(tokenOf({ id: 'ada' }, 'none')),
  'token of another algorithm': bearer(tokenOf({ id: 'ada' }, 'HS512')),
  'token of ada': bearer(ada),
  'token of eve': bearer(tokenOf({ sub: 'eve' })),
  'token of a service': bearer(tokenOf({ scope: 'metrics' })),
  'bearer in capitals': { headers: { authorization: `BEARER ${ada}` } },
  'basic authorization': { headers: { authorization: `Basic ${ada}` } },
  'bearer of nothing': { headers: { authorization: 'Bearer ' } },
  'token in query': { query: `token=${ada}` },
  'key in header': { headers: key },
  'key in query': { query: `key=${inQuery}` },
  'key in another case': { headers: { 'x-console-access-key': consoleKey.toLowerCase() } },
  'wrong key in header': { headers: { 'x-console-access-key': `${consoleKey}x` } },
  'wrong key in query': { query: `key=${inQuery.slice(1)}` },
  'empty key in header': { headers: { 'x-console-access-key': '' } },
  'empty key in query': { query: 'key=' },
  'key twice in query': { query: `key=${inQuery}&key=${inQuery}` },
  'empty header, key in query': { headers: { 'x-console-access-key': '' }, query: `key=${inQuery}` },
  'wrong header, key in query': { headers: { 'x-console-access-key': 'no' }, query: `key=${inQuery}` },
  'key in header, wrong in query': { headers: key, query: 'key=no' },
  'key and token of ada': { headers: { ...key, authorization: `Bearer ${ada}` } },
  'key and bad token': { headers: { ...key, authorization: 'Bearer no' } },
  'wrong key and token of ada': { headers: { 'x-console-access-key': 'no', authorization: `Bearer ${ada}` } },
  'key as token': bearer(consoleKey),
  'token of ada as key': { headers: { 'x-console-access-key': ada } },
  'dev header': { headers: dev },
  'dev header of own page': { headers: { ...dev, origin: 'http://localhost:80', 'sec-fetch-site': 'same-origin' } },
  'dev header from another site': { headers: { ...dev, 'sec-fetch-site': 'cross-site' } },
  'dev header with foreign origin': { headers: { ...dev, origin: 'http://evil.example' } },
  'dev header with origin null': { headers: { ...dev, origin: 'null' } },
  'dev header in capitals': { headers: { 'x-service-dev': 'TRUE' } },
  'dev query': { query: 'dev=true' },
  'dev query and upgrade header': { headers: { connection: 'upgrade', upgrade: 'websocket' }, query: 'dev=true' },
  'dev header and token of ada': { headers: { ...dev, authorization: `Bearer ${ada}` } },
  'dev header and bad token': { headers: { ...dev, authorization: 'Bearer no' } },
  'dev header and wrong key': { headers: { ...dev, 'x-console-access-key': 'no' } },
};

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}

function sign(head: string, alg: string, withKey: string): string {
  return createHmac(alg === 'HS512' ? 'sha512' : 'sha256', withKey)
    .update(head)
    .digest('base64url');
}
