import { afterEach, beforeEach, expect, it } from 'vitest';
import { fetchJwks } from './fetch-jwks.ts';
import { jwkOf, JwksServer, keysAnswer, textAnswer } from './testing/jwks-server.ts';
import { rsaKeys } from './testing/sample-keys.ts';

const jwk = jwkOf(rsaKeys.publicKey, { kid: 'a' });
let server: JwksServer;
let uri: URL;

beforeEach(async () => {
  server = new JwksServer();
  server.answer = keysAnswer([jwk]);
  uri = new URL(await server.open());
});

afterEach(() => server.close());

it('asks for JSON, and returns the keys with their names and algorithms', async () => {
  const keys = await fetchJwks(uri, 1_000);
  expect(server.accepted).toBe('application/json');
  expect(keys).toEqual([
    { kid: 'a', algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'], key: expect.anything() },
  ]);
});

it.each<[string, JwksServer['answer'], string]>([
  ['null', textAnswer('null'), 'not a key set'],
  ['a text', textAnswer('"keys"'), 'not a key set'],
  ['a number', textAnswer('1'), 'not a key set'],
  ['a list', textAnswer('[]'), 'not a key set'],
  ['an object without keys', textAnswer('{}'), 'not a key set'],
  ['keys that are no list', textAnswer('{"keys":{}}'), 'not a key set'],
  ['an error', textAnswer('{"keys":[]}', 500), 'status 500'],
  ['more than a megabyte', textAnswer(`{"keys":[],"pad":"${'x'.repeat(1_048_576)}"}`), 'more than 1 MiB'],
])('names the fault of an answer: %s', async (_what, answer, fault) => {
  server.answer = answer;
  await expect(fetchJwks(uri, 1_000)).rejects.toMatchObject({
    code: 'KEYS_UNAVAILABLE',
    message: expect.stringContaining(fault),
  });
});

it('reads an answer of exactly one megabyte, and refuses one without a body', async () => {
  const rest = '{"keys":[],"pad":""}'.length;
  server.answer = textAnswer(`{"keys":[],"pad":"${'x'.repeat(1_048_576 - rest)}"}`);
  expect(await fetchJwks(uri, 1_000)).toEqual([]);
  server.answer = (response) => void response.writeHead(204).end();
  await expect(fetchJwks(uri, 1_000)).rejects.toThrow(SyntaxError);
});
