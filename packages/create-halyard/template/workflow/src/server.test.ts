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

it('a large order waits for a person, and is confirmed after the approval', async () => {
  const model = scriptedModel('Thank you!');
  // @if jwt
  const server = await createApp({ model, storage: createInMemoryStorage(), auth: createAuth(), logger: false });
  // @end
  // @if !jwt
  const server = await createApp({ model, storage: createInMemoryStorage(), logger: false });
  // @end
  const post = async (path: string, payload: object) => {
    const reply = await server.app.inject({
      method: 'POST',
      url: `/workflows/order/${path}`,
      // @if jwt
      headers,
      // @end
      payload,
    });
    return reply.json().data;
  };

  const input = { customer: 'Ada', item: 'boat', euros: 2_000 };
  const waiting = await post('execute', { input, options: { executionId: 'order-17' } });
  assert.equal(waiting.status, 'suspended');

  const done = await post('executions/order-17/resume', { resumeData: { approved: true, by: 'Grace' } });
  assert.equal(done.status, 'completed');
  assert.deepEqual(done.result, { status: 'confirmed', item: 'boat', letter: 'Thank you!' });
  await server.close();
});
