import { type Storage, systemClock } from '@halyard/contracts';
import { createApprovals } from '@halyard/core/server';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RefundServer, refunds } from '../../../testing/granted-refunds.ts';

const kim = 'kim:manager';
const lee = 'lee:manager';

let server: RefundServer;
let storage: Storage;
let mayAnswer: boolean;
beforeEach(async () => {
  refunds.length = 0;
  mayAnswer = true;
  storage = createInMemoryStorage();
  server = await RefundServer.start(storage, () => mayAnswer);
});
afterEach(() => server.served.close());

const asks = {
  'a conversation': (say: string) => server.chat(say),
  'a resumable chat': (say: string) => server.chat(say, { route: 'chat', options: { resumable: true } }),
  'a durable chat': (say: string) => server.chat(say, { route: 'chat', options: { durable: true } }),
  'a sub-agent in a conversation': (say: string) => server.chat(say, { agent: 'boss' }),
  'a workflow': (say: string) => server.send('/workflows/buy/execute', 'ada', { input: { say } }),
  'a sub-agent in a workflow': (say: string) => server.send('/workflows/office/execute', 'ada', { input: { say } }),
  'a sub-agent in a workflow of a conversation': (say: string) =>
    server.send('/workflows/office/execute', 'ada', { input: { say }, options: { conversationId: 'c1' } }),
};

describe.each(Object.entries(asks))('an approval for later calls in %s', (name, ask) => {
  const scopes = /^a (?:sub-agent in a )?workflow$/.test(name) ? ['tool'] : ['tool', 'conversation'];

  it.each(scopes)('lets them run until it is revoked, for the %s', async (scope) => {
    await ask('refund 100');
    expect(await server.waiting('ada')).toMatchObject([{ toolName: 'refund', allowsAlways: true }]);
    expect(await server.always('ada', scope)).toMatchObject({ status: 200 });
    await expect.poll(() => refunds).toEqual([['ada', 100]]);
    await expect.poll(() => server.waiting()).toEqual([]);

    await expect.poll(async () => (await ask('refund 200')).status).toBe(200);
    await expect.poll(() => refunds.at(-1)).toEqual(['ada', 200]);
    const [grant, ...others] = await server.grants('ada');
    expect(others).toEqual([]);
    expect(grant).toMatchObject({
      agentId: 'clerk',
      toolName: 'refund',
      scope,
      conversationId: scope === 'tool' ? null : 'c1',
      userId: 'ada',
      grantedBy: 'ada',
    });

    expect(await server.revoke(grant?.id ?? '', 'ada')).toMatchObject({ status: 200 });
    await expect.poll(async () => (await ask('refund 150')).status).toBe(200);
    await expect.poll(async () => (await server.waiting()).length).toBe(1);
    expect(await server.grants('ada')).toEqual([]);
    expect(refunds).toHaveLength(2);
  });

  it('covers no call that the tool or its rules exclude', async () => {
    await ask('refund 100');
    await server.always('ada', 'tool');
    await expect.poll(() => refunds).toHaveLength(1);
    await expect.poll(async () => (await ask('refund 400')).status).toBe(200);
    await expect.poll(() => server.waiting(kim)).toMatchObject([{ approvers: ['role:manager'] }]);
    await server.answer(kim, { approved: false });
    await expect.poll(() => server.waiting()).toEqual([]);
    await expect.poll(async () => (await ask('refund 700')).status).toBe(200);
    await expect.poll(() => server.waiting()).toMatchObject([{ approvers: null, allowsAlways: false }]);
    expect(refunds).toHaveLength(1);
  });
});

it('covers no other conversation, user, or agent', async () => {
  await server.chat('refund 100');
  await server.always('ada', 'conversation');
  await expect.poll(() => refunds).toHaveLength(1);
  await server.chat('refund 100', { conversationId: 'c2' });
  expect(await server.waiting()).toMatchObject([{ conversationId: 'c2' }]);
  await server.always('ada', 'tool');
  await expect.poll(() => refunds).toHaveLength(2);
  await server.chat('refund 100', { conversationId: 'c3' });
  expect(refunds).toHaveLength(3);
  await server.chat('refund 100', { conversationId: 'c4', user: 'bob' });
  expect(await server.waiting()).toMatchObject([{ conversationId: 'c4', userId: 'bob' }]);
  expect(refunds).toHaveLength(3);
});

it('of another person is for the user who asked, while that person may approve', async () => {
  await server.chat('refund 400');
  expect(await server.waiting('ada')).toEqual([]);
  expect(await server.always(kim, 'tool')).toMatchObject({ status: 200 });
  await expect.poll(() => refunds).toEqual([['ada', 400]]);
  await server.chat('refund 500', { conversationId: 'c2' });
  expect(refunds).toEqual([
    ['ada', 400],
    ['ada', 500],
  ]);
  // The user of the run approves these, and not the manager.
  await server.chat('refund 100', { conversationId: 'c3' });
  expect(await server.waiting()).toHaveLength(1);
  await server.answer('ada', { approved: true });
  await expect.poll(() => refunds).toHaveLength(3);
  await server.chat('refund 400', { conversationId: 'c4', user: 'kim' });
  expect(refunds).toHaveLength(3);

  mayAnswer = false;
  await server.chat('refund 500', { conversationId: 'c5' });
  expect(refunds).toHaveLength(3);
});

it('is listed and revoked by the user of the runs, the person who gave it, and operators', async () => {
  await server.chat('refund 400');
  await server.always(kim, 'tool', { expiryMs: 3_600_000 });
  const [grant] = await server.grants();
  expect(grant).toMatchObject({ userId: 'ada', grantedBy: 'kim' });
  const id = grant?.id ?? '';
  const timeOf = (name: string): number => Date.parse(String(grant?.[name]));
  expect(timeOf('expiresAt') - timeOf('createdAt')).toBeLessThanOrEqual(3_600_000);
  for (const who of ['ada', kim]) expect(await server.grants(who)).toEqual([grant]);

  for (const who of ['eve', lee]) {
    expect(await server.grants(who)).toEqual([]);
    const [refused, unknown] = [await server.revoke(id, who), await server.revoke('grant-unknown', who)];
    expect(refused).toMatchObject({ status: 404 });
    expect(refused.text.replaceAll(id, 'grant-unknown')).toBe(unknown.text);
  }
  const revoked = await Promise.all(['ada', kim, 'operator', 'ada'].map((who) => server.revoke(id, who)));
  expect(revoked.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404]);
  await server.chat('refund 400', { conversationId: 'c2' });
  expect(await server.waiting()).toHaveLength(1);
});

it('is limited for console roles as other data are', async () => {
  await server.chat('refund 100');
  await server.always('ada', 'tool');
  const { id } = await server.granted();
  const auditor = 'otto:auditor';
  const { data } = await server.send('/approvals/grants', auditor);
  expect(data).toMatchObject({ grants: [] });
  expect(await server.send(`/approvals/grants/${id}`, auditor, undefined, 'DELETE')).toMatchObject({ status: 404 });
});

it('is listed for console roles behind many that they are not for', async () => {
  const { grants } = createApprovals({
    secrets: ['a secret'],
    store: storage.approvals,
    clock: systemClock,
    ids: { next: () => String((count += 1)) },
  });
  let count = 0;
  const calls = { toolName: 'refund', userId: 'ada', conversationId: undefined, user: { id: 'ada' } };
  const given = { ...calls, grantedBy: 'kim', granter: { user: { id: 'kim' }, isOperator: false }, expiresAt: 9e12 };
  const { id } = await grants.add({ ...given, agentId: 'boss' });
  for (let index = 0; index < 450; index += 1) await grants.add({ ...given, agentId: 'clerk' });
  const { data } = await server.send('/approvals/grants', 'otto:auditor');
  expect(data).toMatchObject({ grants: [{ id }], hasMore: false });
  expect(await server.grants()).toHaveLength(200);

  // With the data of the person who gave them, who is named in them.
  await server.send('/api/memory/users/kim', 'kim', undefined, 'DELETE');
  expect(await server.grants()).toEqual([]);
});

it('comes from console roles that are for the agent that asks', async () => {
  await server.chat('refund 100', { agent: 'boss' });
  const { conversationId, id } = await server.asked();
  const answer = { id, conversationId, approved: true };
  const body = { ...answer, always: { scope: 'tool' } };
  // It is for the agent that delegates.
  const refused = await server.send('/approvals/answer', 'otto:auditor', body);
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('your console role') });
  expect(await server.send('/approvals/answer', 'otto:auditor', answer)).toMatchObject({ status: 200 });
  await expect.poll(() => refunds).toHaveLength(1);
  expect(await server.grants()).toEqual([]);
});

it.each(['a conversation', 'a workflow'] as const)(
  'is not left behind by a process that ends before it has accepted the response: %s',
  async (kind) => {
    await asks[kind]('refund 100');
    const gone = (): Promise<never> => Promise.reject(new Error('the database is gone'));
    const broken = [
      vi.spyOn(storage.approvals, 'consume').mockImplementation(gone),
      vi.spyOn(storage.executions, 'resume').mockImplementation(gone),
    ];
    expect((await server.always('ada', 'tool')).status).toBeGreaterThanOrEqual(500);
    for (const one of broken) one.mockRestore();
    expect(await server.grants()).toEqual([]);
    expect(await server.waiting()).toHaveLength(1);
    expect(await server.answer('ada', { approved: false })).toMatchObject({ status: 200 });
    expect(refunds).toEqual([]);
  },
);

it.each([
  ['a denial', 'refund 100', { approved: false, always: { scope: 'tool' } }],
  ['changed arguments', 'refund 100', { approved: true, input: { cents: 1 }, always: { scope: 'tool' } }],
  [
    'the same arguments as an input',
    'refund 100',
    { approved: true, input: { cents: 100 }, always: { scope: 'tool' } },
  ],
  ['an unknown scope', 'refund 100', { approved: true, always: { scope: 'everything' } }],
  ['no time', 'refund 100', { approved: true, always: { scope: 'tool', expiryMs: 0 } }],
  ['too long a time', 'refund 100', { approved: true, always: { scope: 'tool', expiryMs: 1e12 } }],
  ['a call of a tool that does not allow it', 'refund 700', { approved: true, always: { scope: 'tool' } }],
  ['a call that several must approve', 'refund 2000', { approved: true, always: { scope: 'tool' } }],
])('is refused for %s, and the request waits on', async (_, say, answer) => {
  await server.chat(say);
  const who = say === 'refund 2000' ? kim : 'ada';
  expect(await server.answer(who, answer)).toMatchObject({ status: 400 });
  expect(await server.waiting()).toHaveLength(1);
  expect(await server.grants()).toEqual([]);
  expect(refunds).toEqual([]);
});

it('is refused where nothing can be repeated', async () => {
  await server.send('/workflows/buy/execute', 'ada', { input: { say: 'refund 100' } });
  expect(await server.always('ada', 'conversation')).toMatchObject({ status: 400 });
  expect(await server.answer('ada', { approved: false })).toMatchObject({ status: 200 });
  await expect.poll(() => server.waiting()).toEqual([]);
  await server.send('/workflows/sign/execute', 'ada', { input: {} });
  expect(await server.always('ada', 'tool')).toMatchObject({ status: 400 });
});

it('comes from those who may answer the request', async () => {
  await server.chat('refund 400');
  const asked = await server.asked();
  const body = { approved: true, always: { scope: 'tool' } };
  for (const who of ['ada', 'eve']) {
    const refused = await server.answerTo(asked, who, body);
    const unknown = await server.answerTo({ ...asked, id: 'always-unknown' }, who, body);
    expect(refused).toMatchObject({ status: 404 });
    expect(refused.text.replaceAll(asked.id, 'always-unknown')).toBe(unknown.text);
  }
  // The mark in the id is signed.
  for (const id of [asked.id.replace('others-', ''), asked.id.replace('always-', '')])
    expect(await server.answerTo({ ...asked, id }, kim, body)).toMatchObject({ status: 404 });
  expect(await server.grants()).toEqual([]);
  expect(await server.waiting()).toHaveLength(1);
});

it('exists once when a response is sent many times, and not when it is refused', async () => {
  await server.chat('refund 100');
  const asked = await server.asked();
  const body = { approved: true, always: { scope: 'conversation' } };
  const replies = await Promise.all(Array.from({ length: 6 }, () => server.answerTo(asked, 'ada', body)));
  expect(replies.map(({ status }) => status).filter((status) => ![400, 404].includes(status))).toEqual([200]);
  await expect.poll(() => server.grants()).toHaveLength(1);
  const { id } = await server.granted();
  await server.revoke(id, 'ada');

  // Answers are not replayed after the revocation.
  expect(await server.answerTo(asked, 'ada', body)).toMatchObject({ status: 404 });
  expect(await server.grants()).toEqual([]);
});

it('is in the audit trail, the export of the user, and deleted with the user', async () => {
  await server.chat('refund 400');
  await server.always(kim, 'tool', { expiryMs: 60_000 });
  await server.chat('refund 100', { conversationId: 'c2' });
  await server.always('ada', 'conversation');
  const [own, byKim] = await server.grants();
  const exported = async (who: string): Promise<readonly unknown[]> => {
    const { text } = await server.send(`/api/memory/users/${who}/export`, who);
    return text
      .split('\n\n')
      .flatMap((frame) => (frame.startsWith('data: {') ? [JSON.parse(frame.slice('data: '.length)) as object] : []))
      .filter((record) => 'type' in record && record.type === 'approval-grant');
  };
  expect(await exported('ada')).toEqual([own, byKim].map((grant) => ({ type: 'approval-grant', grant })));
  expect(await exported('kim')).toEqual([]);

  await server.revoke(own?.id ?? '', 'ada');
  const { data } = await server.send('/audit', 'operator');
  const records = data['records'] as readonly { readonly action: string }[];
  expect(records.filter(({ action }) => action.startsWith('approval.'))).toMatchObject([
    {
      action: 'approval.revoke',
      actor: { userId: 'ada' },
      target: { approvalId: own?.id },
      outcome: { errorCode: null },
    },
    { action: 'approval.answer', actor: { userId: 'ada' }, detail: { always: { scope: 'conversation' } } },
    { action: 'approval.answer', actor: { userId: 'kim' }, detail: { always: { scope: 'tool', expiryMs: 60_000 } } },
  ]);

  await server.send('/api/memory/users/ada', 'ada', undefined, 'DELETE');
  expect(await server.grants()).toEqual([]);
  await server.chat('refund 400', { conversationId: 'c9' });
  expect(await server.waiting()).toHaveLength(1);
});

it('is shown to clients with the calls that ask, and with those that run', async () => {
  const parts = async (): Promise<readonly unknown[]> => {
    const { data } = await server.send('/api/memory/conversations/c1/messages?agentId=clerk', 'ada');
    return (data['messages'] as readonly { parts: readonly { type: string; callProviderMetadata?: unknown }[] }[])
      .flatMap((message) => message.parts)
      .flatMap(({ callProviderMetadata, type }) => (type === 'tool-refund' ? [callProviderMetadata] : []));
  };
  await server.chat('refund 400');
  expect(await parts()).toEqual([{ halyard: { approvers: ['role:manager'], always: true } }]);
  await server.always(kim, 'tool');
  await expect.poll(() => refunds).toHaveLength(1);
  const { id } = await server.granted();
  await expect.poll(async () => (await server.chat('refund 500')).status).toBe(200);
  expect((await parts()).at(-1)).toEqual({ halyard: { grantId: id } });
});

describe('a tool in shadow mode', () => {
  it('runs the call, and records that it would have asked', async () => {
    await server.chat('notify 200');
    expect(refunds).toEqual([['ada', 200]]);
    const { data } = await server.send('/audit?action=approval.shadow', 'operator');
    expect(data['records']).toMatchObject([
      {
        actor: { userId: null, channel: 'server' },
        target: { agentId: 'clerk', conversationId: 'c1', userId: 'ada' },
        detail: { toolName: 'notify', approvers: ['role:manager'] },
      },
    ]);
    const { data: stored } = await server.send('/api/memory/conversations/c1/messages?agentId=clerk', 'ada');
    expect(JSON.stringify(stored)).toContain('{"halyard":{"shadow":true}}');
  });

  it('asks where the decision says so', async () => {
    await server.chat('notify 2000');
    expect(await server.waiting()).toMatchObject([{ toolName: 'notify', allowsAlways: false }]);
    expect(refunds).toEqual([]);
  });
});
