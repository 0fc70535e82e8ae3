import assert from 'node:assert/strict';
import { it } from 'node:test';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
// @if jwt
import { createAuth } from './auth.ts';
// @end
import { createApp } from './server.ts';
import { findOrder } from './shop.ts';
// @if jwt
import { signToken } from './sign-token.ts';

process.env['JWT_SECRET'] = 'a secret of the tests, which has at least 32 bytes';
const headers = { authorization: `Bearer ${signToken('ada')}` };
// @end

it('pays nothing back before a person has approved', async () => {
  const model = scriptedModel({ toolCalls: [{ toolName: 'refundOrder', input: { orderId: 'K-18' } }] }, 'Done.');
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
    payload: { input: 'Refund K-18', options: { userId: 'ada', conversationId: 'tent' } },
  });
  assert.equal(reply.statusCode, 200);
  assert.equal(model.calls.length, 1);
  assert.equal(findOrder('K-18')?.state, 'delivered');
  await server.close();
});
