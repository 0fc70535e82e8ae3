import { createMemory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { createSupportDesk } from './server.ts';

const provider = { type: 'names', verifyToken: (id: string) => ({ id }) };
const auth = { provider, consoleKey: 'the key of the console' };

async function openDesk(model: ReturnType<typeof scriptedModel>) {
  const storage = createInMemoryStorage();
  const desk = await createSupportDesk({ model, memory: createMemory({ storage }), storage, auth, logger: false });
  onTestFinished(desk.close);
  const send = async (
    url: string,
    headers: object,
    payload?: object,
    method: 'DELETE' | 'GET' | 'POST' = payload === undefined ? 'GET' : 'POST',
  ) => {
    const reply = await desk.app.inject({ method, url, headers: { ...headers }, ...(payload && { payload }) });
    return { status: reply.statusCode, text: reply.body };
  };
  return { desk, send, storage };
}
const ada = { authorization: 'Bearer ada' };

it('refunds an order once, however often the customer asks', async () => {
  const model = scriptedModel(({ prompt, tools }) => {
    const canRefund = tools?.some(({ name }) => name === 'startRefund') === true;
    if (!canRefund || prompt.at(-1)?.role === 'tool') return 'Done.';
    return { toolCalls: [{ toolName: 'startRefund', input: { orderId: 'K-1005', reason: 'it is broken' } }] };
  });
  const { desk, send, storage } = await openDesk(model);
  for (let times = 0; times < 3; times += 1) {
    const { status, text } = await send('/agents/returns/text', ada, { input: 'Refund order K-1005' });
    expect(status).toBe(200);
    expect(text).toContain('refund-K-1005');
  }
  await desk.runtime.wait({ owner: 'anyone', executionId: 'refund-K-1005' });
  const filter = { parentExecutionId: null, workflowId: 'refund', limit: 9, offset: 0 };
  expect(await storage.executions.list('anyone', filter)).toMatchObject({ executions: [{ id: 'refund-K-1005' }] });
});

it('pays an order back once, also after the customer has deleted her data', async () => {
  const { desk, send } = await openDesk(scriptedModel('Done.'));
  await desk.app.ready();
  const input = { orderId: 'K-1005', customer: 'Ada', reason: 'it is broken' };
  const refund = async () => desk.runtime.execute('refund', input, { executionId: 'refund-K-1005', userId: 'ada' });
  const first = await refund();
  expect(first).toMatchObject({ status: 'completed', result: { status: 'paid' } });
  expect(await send('/api/memory/users/ada', ada, undefined, 'DELETE')).toMatchObject({ status: 200 });
  // The shop pays once for each key, and its answer names the payment.
  expect((await refund()).result).toEqual(first.result);
});

it('gives a verified customer no large voucher: the requester would approve it', async () => {
  const model = scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? 'Done.' : { toolCalls: [{ toolName: 'giveVoucher', input: { euros: 100 } }] },
  );
  const { send } = await openDesk(model);
  const body = { input: 'A voucher of 100 euros, please', options: { conversationId: 'c1' } };
  expect(await send('/agents/front-desk/text', ada, body)).toMatchObject({ status: 200 });
  expect(await send('/api/approvals', ada)).toMatchObject({
    text: expect.stringContaining('"approvals":[]') as string,
  });
  const { text } = await send('/api/memory/conversations/c1/messages', ada);
  expect(text).toContain('only the team');
  expect(text).not.toContain('KESTREL-');
});
