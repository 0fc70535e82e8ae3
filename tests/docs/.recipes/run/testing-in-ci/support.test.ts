import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedModel } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { createSupport } from './support.ts';

const options = { userId: 'ada', conversationId: 'c1' };
const callRefund = (orderId: string) => ({ toolCalls: [{ toolName: 'refund', input: { orderId } }] });

test('pays back only after a person has agreed', async () => {
  const refunded: string[] = [];
  const agent = createSupport(scriptedModel(callRefund('17'), 'You get it back.'), refunded);
  const server = await createServer({ agents: [agent], logger: false });
  const post = async (url: string, payload: object) => server.app.inject({ method: 'POST', url, payload });

  await post('/agents/support/text', { input: 'Refund order 17', options });
  assert.deepEqual(refunded, []);

  const [approval] = (await server.app.inject('/approvals')).json().data.approvals;
  assert.deepEqual(approval.input, { orderId: '17' });
  await post('/approvals/answer', { id: approval.id, conversationId: 'c1', approved: true });
  // The agent continues after the reply.
  while (refunded.length === 0) await new Promise(setImmediate);
  assert.deepEqual(refunded, ['17']);
  await server.close();
});

test('tells the model what was wrong with its arguments', async () => {
  const model = scriptedModel(callRefund('seventeen'), 'Which number does the order have?');
  const { text } = await createSupport(model).generateText('Refund it', options);
  assert.equal(text, 'Which number does the order have?');
  assert.match(JSON.stringify(model.calls[1]?.prompt), /orderId/);
});

test('asks the model again when it fails for a moment', async () => {
  const failure = Object.assign(new Error('busy'), { statusCode: 503, isRetryable: true });
  const model = scriptedModel({ error: failure }, 'Hello.');
  const { text } = await createSupport(model).generateText('Hi', options);
  assert.equal(text, 'Hello.');
});

test('sends the instructions', async () => {
  const model = scriptedModel('Hello.');
  await createSupport(model).generateText('Hi', options);
  assert.equal(model.calls[0]?.prompt[0]?.content, 'Be brief and kind.');
});
