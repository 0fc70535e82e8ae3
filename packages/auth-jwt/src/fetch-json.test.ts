import { afterEach, beforeEach, expect, it } from 'vitest';
import { fetchJson } from './fetch-json.ts';
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

it('asks for JSON, and returns the object', async () => {
  expect(await fetchJson(uri, signal())).toEqual({ keys: [jwk] });
  expect(server.accepted).toBe('application/json');
});

it.each<[string, JwksServer['answer'], string]>([
  ['null', textAnswer('null'), 'not an object'],
  ['a text', textAnswer('"keys"'), 'not an object'],
  ['a number', textAnswer('1'), 'not an object'],
  ['a list', textAnswer('[]'), 'not an object'],
  ['an error', textAnswer('{"keys":[]}', 500), 'status 500'],
  ['more than a megabyte', textAnswer(`{"keys":[],"pad":"${'x'.repeat(1_048_576)}"}`), 'more than 1 MiB'],
])('names the fault of an answer: %s', async (_what, answer, fault) => {
  server.answer = answer;
  await expect(fetchJson(uri, signal())).rejects.toMatchObject({
    code: 'KEYS_UNAVAILABLE',
    message: expect.stringContaining(fault),
  });
});

it('reads an answer of exactly one megabyte, and refuses one without a body', async () => {
  const rest = '{"keys":[],"pad":""}'.length;
  server.answer = textAnswer(`{"keys":[],"pad":"${'x'.repeat(1_048_576 - rest)}"}`);
  expect(await fetchJson(uri, signal())).toMatchObject({ keys: [] });
  server.answer = (response) => void response.writeHead(204).end();
  await expect(fetchJson(uri, signal())).rejects.toThrow(SyntaxError);
});

/** Longer than a busy machine needs. */
function signal(): AbortSignal {
  return AbortSignal.timeout(60_000);
}
