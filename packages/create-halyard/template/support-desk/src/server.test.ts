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
process.env['SERVICE_CONSOLE_ACCESS_KEY'] = 'a console key of the tests';
const customer = { authorization: `Bearer ${signToken('ada')}` };
const operator = { 'x-console-access-key': 'a console key of the tests' };
// @end
// @if !jwt
const customer = {};
const operator = {};
// @end

async function startApp(...model: Parameters<typeof scriptedModel>) {
  const server = await createApp({
    model: scriptedModel(...model),
    storage: createInMemoryStorage(),
    // @if jwt
    auth: createAuth(),
    // @end
    logger: false,
  });
  const post = async (url: string, headers: object, payload: object, status = 200) => {
    const reply = await server.app.inject({ method: 'POST', url, headers: { ...headers }, payload });
    assert.equal(reply.statusCode, status);
    return reply.json().data;
  };
  return { server, post };
}

it('pays nothing back before an operator has approved', async () => {
  const request = { toolCalls: [{ toolName: 'requestRefund', input: { orderId: 'K-18' } }] };
  const { server, post } = await startApp(request, 'An operator decides.', request, 'An operator decides.');
  const ask = () => post('/agents/support/text', customer, { input: 'Refund K-18', options: { userId: 'ada' } });
  const answer = await ask();
  const executionId: string = answer.toolResults[0].output.refund;
  const status = async () => (await server.runtime.wait({ owner: 'anyone', executionId })).status;
  const approve = async (url: string, headers: object, reply = 200) => {
    const { data } = (await server.app.inject({ url: '/approvals', headers: operator })).json();
    await post(url, headers, { id: data.approvals[0].id, executionId, resumeData: { approved: true } }, reply);
  };

  assert.equal(await status(), 'suspended');
  // @if jwt
  await approve('/api/approvals/answer', customer, 404);
  await post('/workflows/refund/execute', customer, { input: { orderId: 'K-18' } }, 404);
  assert.equal(await status(), 'suspended');
  // @end
  assert.equal(findOrder('K-18', 'ada')?.state, 'delivered');
  await approve('/approvals/answer', operator);
  assert.equal(await status(), 'completed');
  assert.equal((await ask()).toolResults[0].output.refund, executionId);
  assert.equal(findOrder('K-18', 'ada')?.state, 'refunded');
  await server.close();
});
// @if jwt

it('shows no order of another customer', async () => {
  const { server, post } = await startApp('Hello.');
  const find = (orderId: string) => post('/tools/findOrder/execute', customer, { input: { orderId } });

  assert.equal((await find('K-17')).result.item, 'Rain jacket');
  assert.deepEqual((await find('K-19')).result, { orderId: 'K-19', known: false });
  await server.close();
});
// @end
