import type { NamedToken } from './auth-provider-harness.ts';
import { forge, hmac, rawPart } from './forge.ts';
import type { HostileContext } from './hostile-tokens.ts';

/**
 * Tokens that are signed with the secret, but are expired, for another provider, or have claims or
 * headers that must not be ignored.
 */
export function claimTokens(context: HostileContext): readonly NamedToken[] {
  const { claims, expected, secret } = context;
  const signed = (payload: unknown, more: object = {}): string =>
    forge({ alg: 'HS256', typ: 'JWT', ...more }, payload, hmac(secret));
  const json = JSON.stringify(claims);
  return [
    ...times.map(([name, more]) => ({ name, token: signed({ ...claims, ...more }) })),
    ...headers.map(([name, more]) => ({ name, token: signed(claims, more) })),
    ...payloads.map((text) => ({
      name: `the payload is ${text === '' ? 'empty JSON' : text}`,
      token: signed(rawPart(text)),
    })),
    { name: 'the payload is a list of claims', token: signed([claims]) },
    { name: 'the payload is JSON in JSON', token: signed(json) },
    { name: 'the payload is cut off', token: signed(rawPart(json.slice(0, -1))) },
    { name: 'the payload has text after its end', token: signed(rawPart(`${json}{}`)) },
    { name: 'the payload is not UTF-8 JSON', token: signed(rawPart(new Uint8Array([0xff, 0xfe, 0x7b, 0x7d]))) },
    {
      name: 'expires at a number that is too large',
      token: signed(rawPart(`${json.slice(0, -1)},"exp":1e999}`)),
    },
    { name: 'exp twice, past in the end', token: signed(rawPart(`{"exp":4102444800,"sub":"admin","exp":1}`)) },
    { name: 'nbf twice, to come in the end', token: signed(rawPart(`{"nbf":1,"sub":"admin","nbf":4102444800}`)) },
    { name: 'alg twice, none in the end', token: forge(rawPart('{"alg":"HS256","alg":"none"}'), claims, hmac(secret)) },
    { name: 'subjects that are an object', token: signed({ ...claims, id: { $ne: '' }, sub: { $ne: '' } }) },
    { name: 'subjects that are a list', token: signed({ ...claims, id: ['admin'], sub: ['admin'] }) },
    { name: 'subjects that are true', token: signed({ ...claims, id: true, sub: true }) },
    { name: 'subjects that are rounded numbers', token: signed({ ...claims, id: 2 ** 60, sub: 2 ** 60 }) },
    ...(expected.audience === undefined ? [] : wrong(context, 'aud', expected.audience)),
    ...(expected.issuer === undefined ? [] : wrong(context, 'iss', expected.issuer)),
  ];
}

const times: readonly (readonly [string, object])[] = [
  ['expired long ago', { exp: 1 }],
  ['expired at zero', { exp: 0 }],
  ['expired before there were times', { exp: -1 }],
  ['expires at a text', { exp: '4102444800' }],
  ['expires at null', { exp: null }],
  ['expires at true', { exp: true }],
  ['expires at an object', { exp: {} }],
  ['expires at a list', { exp: [4_102_444_800] }],
  ['not valid yet', { nbf: 4_102_444_799 }],
  ['not valid before a text', { nbf: '1' }],
  ['not valid before null', { nbf: null }],
  ['expired, and not valid yet', { exp: 1, nbf: 4_102_444_800 }],
];

const headers: readonly (readonly [string, object])[] = [
  ['crit names an extension', { crit: ['http://example.com/ext'], 'http://example.com/ext': true }],
  ['crit names exp', { crit: ['exp'], exp: 4_102_444_800 }],
  ['crit is empty', { crit: [] }],
  ['crit is a text', { crit: 'b64' }],
  ['crit is null', { crit: null }],
  ['crit names b64', { crit: ['b64'], b64: false }],
  ['the payload is declared as unencoded', { b64: false }],
  ['is declared as compressed', { zip: 'DEF' }],
  ['is declared as encrypted', { enc: 'A256GCM' }],
  ['is for a log-out', { typ: 'logout+jwt' }],
  ['is for a proof', { typ: 'dpop+jwt' }],
  ['is an encrypted one', { typ: 'JWE' }],
  ['has a type that is a number', { typ: 1 }],
  ['has a type that is null', { typ: null }],
];

const payloads = [
  'null',
  'true',
  '0',
  '1',
  '"admin"',
  '""',
  '[]',
  '["admin"]',
  ' ',
  '{',
  '}',
  '{]',
  'NaN',
  '{id:"admin"}',
  '{"id":"admin",}',
  "{'id':'admin'}",
];

/** Tokens whose `aud` or `iss` is wrong, or only similar to the right one. */
function wrong({ claims, secret }: HostileContext, claim: 'aud' | 'iss', right: string): readonly NamedToken[] {
  const { [claim]: _right, ...rest } = claims;
  const looksLike = [
    `${right} `,
    ` ${right}`,
    `${right}/`,
    `${right}.attacker.example`,
    `x${right}`,
    right.toUpperCase(),
    right.slice(0, -1),
    `${right}\u0000`,
  ];
  const values = [
    ...looksLike.filter((text) => text !== right),
    'another',
    '',
    '*',
    '.*',
    null,
    0,
    true,
    {},
    [],
    [[right]],
    { 0: right },
  ];
  return [
    { name: `no ${claim}`, token: forge({ alg: 'HS256', typ: 'JWT' }, rest, hmac(secret)) },
    ...values.map((value) => ({
      name: `${claim} is ${JSON.stringify(value)}`,
      token: forge({ alg: 'HS256', typ: 'JWT' }, { ...rest, [claim]: value }, hmac(secret)),
    })),
  ];
}
