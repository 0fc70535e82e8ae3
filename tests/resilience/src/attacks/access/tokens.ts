import { generateKeyPairSync } from 'node:crypto';
import { hostileTokens, type NamedToken } from '@halyard/conformance';
import type { Attack } from '../harness/attack.ts';
import { exchange, type RawReply } from '../harness/raw-http.ts';
import { envelopeFault } from '../harness/reply-faults.ts';
import type { Target } from '../harness/target.ts';
import { audience, issuer, secret, signToken } from '../harness/tokens.ts';

/** Routes of users, each with a token in the place where it is accepted. */
const places = [
  'GET /api/memory/conversations HTTP/1.1',
  'POST /agents/plain/text HTTP/1.1',
  'POST /mcp/own HTTP/1.1',
  'DELETE /api/memory/users/admin HTTP/1.1',
];
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** Tokens that must be refused, and headers that are too large or malformed. */
export const tokens: Attack = {
  name: 'tokens',
  summary: 'forged and malformed tokens, huge and malformed headers',
  plants: { 'unsigned-tokens': /200|400/ },
  run: async ({ bySize, open }) => {
    const target = await open();
    const [first = ''] = places;
    const { status } = await exchange(target, requestWith(target, first, 'x-token: none'));
    if (status !== 401 || target.headersOf('ada')['authorization'] === undefined)
      return { count: '0 tokens', findings: [], missing: 'access control with tokens, and --token' };
    const findings: string[] = [];
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    // The secret of another server is not known: there, tokens that are signed with it are tokens
    // of a foreign key.
    const hostile = [...hostileTokens(secret, { audience, issuer, publicKey: pem }), ...changedTokens(validOf(target))];
    let count = 0;
    for (const place of bySize({ planted: places.slice(0, 1), short: places, long: places })) {
      if (!target.isOwn && !(await needsToken(target, place))) continue;
      for (const { name, token } of hostile) {
        const reply = await exchange(target, requestWith(target, place, `authorization: Bearer ${token}`));
        count += 1;
        const fault = refusalFault(target, reply, token.length);
        if (fault !== undefined) findings.push(`${place}, token ${name}: ${fault}`);
      }
    }
    const [place = ''] = places;
    for (const [name, header, isAccepted] of headers(validOf(target))) {
      const reply = await exchange(target, requestWith(target, place, header));
      count += 1;
      const fault = isAccepted ? acceptanceFault(reply) : refusalFault(target, reply, header.length);
      if (fault !== undefined) findings.push(`${name}: ${fault}`);
    }
    const valid = await readOwn(target);
    if (valid !== undefined) findings.push(`a valid token is refused after the attack: ${valid}`);
    return { count: `${count} tokens and headers`, findings };
  },
};

/**
 * Another server may have opened the route, as legacy mode opens MCP for requests that run nothing.
 */
async function needsToken(target: Target, place: string): Promise<boolean> {
  return (await exchange(target, requestWith(target, place, 'x-token: none'))).status === 401;
}

/** With the address of the target as its host: others may be refused for that alone. */
function requestWith({ hostname, port }: Target, place: string, header: string): Buffer {
  const head = `${place}\r\nhost: ${hostname}:${port}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n`;
  return Buffer.from(`${head}${header}\r\n\r\n{}`, 'latin1');
}

/**
 * The parser refuses invalid headers with 400, large ones with 431. It may close the connection
 * before the reply is read.
 */
function refusalFault(target: Target, reply: RawReply, size: number): string | undefined {
  if (reply.status === undefined && size > 8_192) return undefined;
  // Another server may count the rejected credentials of an address.
  if (reply.status === 429 && !target.isOwn) return undefined;
  if (reply.status === 401 || reply.status === 431) return envelopeFault(reply);
  const isMalformed = reply.status === 400 && reply.headers.get('x-error-code') === 'INVALID_REQUEST';
  return isMalformed ? envelopeFault(reply) : `${reply.status}, not refused: ${reply.body.slice(0, 200)}`;
}

function acceptanceFault(reply: RawReply): string | undefined {
  return reply.status === 200 ? envelopeFault(reply) : `${reply.status}: ${reply.body.slice(0, 200)}`;
}

/** Header lines, and whether a request with them is accepted. */
function headers(token: string): readonly (readonly [string, string, boolean])[] {
  const valid = `authorization: Bearer ${token}`;
  const other = `authorization: Bearer ${signToken({ sub: 'bob' }, { key: 'x' })}`;
  const manyHeaders = Array.from({ length: 1_500 }, (_, index) => `x-${index}: 1`).join('\r\n');
  return [
    ['a valid token', valid, true],
    ['a header of 100 kB', `x-large: ${'a'.repeat(100_000)}\r\n${valid}`, false],
    ['a cookie of 1 MB', `cookie: ${'a=b; '.repeat(200_000)}\r\n${valid}`, false],
    ['a token of 15 kB', `authorization: Bearer ${'a'.repeat(15_000)}`, false],
    ['a token of 1 MB', `authorization: Bearer ${'a'.repeat(1_000_000)}`, false],
    ['1500 headers', `${manyHeaders}\r\n${other}`, false],
    ['a folded header', `x-folded: a\r\n b\r\n${other}`, false],
    ['a header with a NUL', `x-nul: a\0b\r\n${valid}`, false],
    ['a header with a bare CR', `x-cr: a\rauthorization: b\r\n${other}`, false],
    ['a space before the colon', `authorization : Bearer ${token}`, false],
    ['two lengths', `content-length: 3\r\n${valid}`, false],
    ['a length and chunks', `transfer-encoding: chunked\r\n${valid}`, false],
    ['two tokens, the first invalid', `${other}\r\n${valid}`, false],
    ['a token in the cookie', `cookie: token=${token}; authorization=Bearer`, false],
    ['a token as proxy authorization', `proxy-authorization: Bearer ${token}`, false],
    ['a forwarded user', 'x-forwarded-user: ada\r\nx-user-id: ada\r\nforwarded: for=127.0.0.1', false],
    ['another method', `x-http-method-override: GET\r\n${other}`, false],
    ['another path', `x-original-url: /healthz\r\nx-rewrite-url: /healthz`, false],
  ];
}

function validOf(target: Target): string {
  return (target.headersOf('ada')['authorization'] ?? '').replace('Bearer ', '');
}

/** The valid token, with another user, another algorithm or no signature. */
function changedTokens(valid: string): readonly NamedToken[] {
  const [header = '', claims, signature] = valid.split('.');
  if (claims === undefined || signature === undefined)
    return [{ name: 'cut by one letter', token: valid.slice(0, -1) }];
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const payload = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
  const admin = encode({ ...payload, sub: 'admin', id: 'admin' });
  return [
    { name: 'of the user admin, with the signature of another', token: `${header}.${admin}.${signature}` },
    { name: 'with the algorithm none', token: `${encode({ alg: 'none', typ: 'JWT' })}.${claims}.` },
    { name: 'with the algorithm none and a signature', token: `${encode({ alg: 'none' })}.${claims}.${signature}` },
    { name: 'without a signature', token: `${header}.${claims}.` },
    { name: 'with half of its signature', token: `${header}.${claims}.${signature.slice(0, signature.length / 2)}` },
  ];
}

async function readOwn(target: Target): Promise<string | undefined> {
  const line = `authorization: ${target.headersOf('ada')['authorization']}`;
  return acceptanceFault(await exchange(target, requestWith(target, places[0] ?? '', line)));
}
