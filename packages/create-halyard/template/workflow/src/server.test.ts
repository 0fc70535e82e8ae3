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
process.env['SERVICE_CONSOLE_ACCESS_KEY'] = 'a console key of the tests';
const customer = { authorization: `Bearer ${signToken('ada')}` };
const operator = { 'x-console-access-key': 'a console key of the tests' };
// @end
// @if !jwt
const customer = {};
const operator = {};
// @end

it('a large order waits for an operator, and is confirmed after the approval', async () => {
  const server = await createApp({
    model: scriptedModel('Thank you!'),
    storage: createInMemoryStorage(),
    // @if jwt
    auth: createAuth(),
    // @end
    logger: false,
  });
  const post = async (url: string, headers: object, payload: object) => {
    const reply = await server.app.inject({ method: 'POST', url, headers: { ...headers }, payload });
    assert.equal(reply.statusCode, 200);
    return reply.json().data;
  };

  const input = { customer: 'Ada', item: 'boat', euros: 2_000 };
  const options = { executionId: 'order-17' };
  const waiting = await post('/workflows/order/execute', customer, { input, options });
  assert.equal(waiting.status, 'suspended');
  // @if jwt
  const resumeData = { approved: true, by: 'Ada' };
  const own = await post('/workflows/order/executions/order-17/resume', customer, { resumeData });
  assert.equal(own.status, 'suspended');
  // @end

  const { data } = (await server.app.inject({ url: '/approvals', headers: operator })).json();
  const approval = { id: data.approvals[0].id, executionId: 'order-17', resumeData: { approved: true, by: 'Grace' } };
  await post('/approvals/answer', operator, approval);
  const done = await server.runtime.wait({ owner: 'anyone', executionId: 'order-17' });
  assert.equal(done.status, 'completed');
  assert.deepEqual(done.result, { status: 'confirmed', item: 'boat', letter: 'Thank you!' });
  await server.close();
});
