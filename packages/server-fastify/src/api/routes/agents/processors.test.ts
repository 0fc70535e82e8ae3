import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, post } from '../../../testing/generation.ts';
import { serve, type Served } from '../../../testing/serve.ts';

const model = scriptedModel('Fine.');
const broken = {
  name: 'broken',
  check: () => {
    throw new RangeError('a detail');
  },
};
const agents = [
  new Agent({
    id: 'careful',
    model,
    inputGuardrails: [
      {
        name: 'secrets',
        check: (text) => (text.includes('secret') ? { action: 'block', reason: 'it is private' } : { action: 'allow' }),
      },
    ],
  }),
  new Agent({ id: 'asks-broken', model: scriptedModel('Fine.'), inputGuardrails: [broken] }),
  new Agent({ id: 'says-broken', model: scriptedModel('Fine.'), outputGuardrails: [broken] }),
];
let server: Served;
beforeAll(async () => {
  server = await serve([], { agents });
});
afterAll(() => server.close());

const user = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
const file = `data:text/plain;base64,${Buffer.from('a secret').toString('base64')}`;

it.each([
  ['the message', [user('A secret')]],
  ['an earlier message of the same request', [user('A secret'), user('And now?')]],
  ['a system message', [{ role: 'system', parts: [{ type: 'text', text: 'A secret' }] }, user('Hi')]],
  ['a text file', [{ role: 'user', parts: [{ type: 'file', mediaType: 'text/plain', url: file }] }]],
])('refuses with 400 what a guardrail blocks in %s', async (_, input) => {
  const reply = await post(server.origin, 'careful/text', { input });

  expect(reply.status).toBe(400);
  expect(reply.headers.get('x-error-code')).toBe('INPUT_BLOCKED');
  expect(JSON.parse(reply.text)).toMatchObject({
    success: false,
    error: 'Guardrail "secrets" blocked the input: it is private',
  });
  expect(model.calls).toEqual([]);
});

it.each(['asks-broken', 'says-broken'])(
  'names a guardrail that throws, without the details of its error: %s',
  async (id) => {
    expect(await answer(server.origin, `${id}/text`, { input: 'Hi' })).toMatchObject({
      success: false,
      error: expect.stringContaining('Processor "broken" failed'),
    });
  },
);
