import assert from 'node:assert/strict';
import { it } from 'node:test';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
// @if jwt
import { createAuth } from './auth.ts';
// @end
import { createApp } from './server.ts';
// @if jwt
import { signToken } from './sign-token.ts';

process.env['JWT_SECRET'] = 'a secret of the tests, which has at least 32 bytes';
const headers = { authorization: `Bearer ${signToken('ada')}` };
// @end

it('an agent and a route of the app answer about the same order', async () => {
  const model = scriptedModel(
    { toolCalls: [{ toolName: 'orderStatus', input: { orderId: '17' } }] },
    'It arrives on Friday.',
  );
  // @if jwt
  const server = await createApp({ model, storage: createInMemoryStorage(), auth: createAuth(), logger: false });
  // @end
  // @if !jwt
  const server = await createApp({ model, storage: createInMemoryStorage(), logger: false });
  // @end

  const reply = await server.app.inject({
    method: 'POST',
    url: '/agents/support/text',
    // @if jwt
    headers,
    // @end
    payload: { input: 'Where is order 17?' },
  });
  assert.equal(reply.json().data.text, 'It arrives on Friday.');
  assert.equal(model.calls.length, 2);

  const order = await server.app.inject({
    url: '/orders/17',
    // @if jwt
    headers,
    // @end
  });
  assert.equal(order.json().arrives, 'Friday');
  // @if jwt
  const ofAnother = await server.app.inject({ url: '/orders/18', headers });
  assert.equal(ofAnother.statusCode, 404);
  // @end
  await server.close();
});
