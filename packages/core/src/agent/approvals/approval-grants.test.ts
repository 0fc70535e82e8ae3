import type { User } from '@halyard/contracts';
import { InMemoryApprovalStore } from '@halyard/memory-in-memory';
import { beforeEach, expect, it } from 'vitest';
import { sequentialIds } from '../../testing/sequential-ids.ts';
import type { ApprovalGrant, ApprovalGrants, GrantedCalls } from './approval-grants.ts';
import type { MayAnswer } from './approval-rules.ts';
import { type Approvals, createApprovals } from './approvals.ts';

let now: number;
let approvals: Approvals;
let grants: ApprovalGrants;
let mayAnswer: MayAnswer;
beforeEach(() => {
  now = 1_000;
  mayAnswer = () => true;
  const clock = { now: () => now };
  approvals = createApprovals({
    secrets: ['secret'],
    store: new InMemoryApprovalStore(clock),
    clock,
    ids: sequentialIds(),
    mayAnswer: (question) => mayAnswer(question),
  });
  ({ grants } = approvals);
});

const calls: GrantedCalls = { agentId: 'clerk', toolName: 'refund', userId: 'ada', conversationId: undefined };
const ada: User = { id: 'ada' };
const kim: User = { id: 'kim', roles: ['manager'], tenantId: 'acme' };
const managers = { approvers: ['role:manager'], tenantId: 'acme' };
const own = { ...calls, user: ada, grantedBy: 'ada', granter: { user: ada, isOperator: false }, expiresAt: 2_000 };
const byKim = { ...own, grantedBy: 'kim', granter: { user: kim, isOperator: false } };

async function covers(
  changes: Partial<GrantedCalls> = {},
  { rules, user = ada }: { readonly rules?: typeof managers; readonly user?: User } = {},
): Promise<boolean> {
  const asked = { ...calls, conversationId: 'c1', ...changes };
  const request = {
    kind: 'tool' as const,
    requesterId: asked.userId,
    approvers: rules?.approvers,
    input: {},
    ...asked,
  };
  return (await grants.findFor(asked, { rules, request, user })) !== undefined;
}

it('covers the calls of one tool of one agent for one user', async () => {
  await grants.add(own);
  expect(await covers()).toBe(true);
  expect(await covers({ conversationId: undefined })).toBe(true);
  for (const other of [{ agentId: 'boss' }, { toolName: 'pay' }, { userId: 'eve' }, { userId: undefined }])
    expect([other, await covers(other)]).toEqual([other, false]);
});

it('covers one conversation, if it is for one', async () => {
  await grants.add({ ...own, conversationId: 'c1' });
  expect(await covers()).toBe(true);
  expect(await covers({ conversationId: 'c2' })).toBe(false);
  expect(await covers({ conversationId: undefined })).toBe(false);
});

it('ends at its expiry, and when it is revoked', async () => {
  await grants.add(own);
  now = 2_000;
  expect(await covers()).toBe(true);
  now = 2_001;
  expect(await covers()).toBe(false);

  const grant = await grants.add({ ...own, expiresAt: 9_000 });
  const revoked = await Promise.all([1, 2, 3].map(() => grants.revoke(grant)));
  expect(revoked.filter(Boolean)).toHaveLength(1);
  expect(await covers()).toBe(false);
  expect(await grants.find(grant.id)).toBeUndefined();
});

it('covers a call only while its person may approve it', async () => {
  await grants.add(byKim);
  expect(await covers({}, { rules: managers })).toBe(true);
  expect(await covers()).toBe(false);
  expect(await covers({}, { rules: { ...managers, approvers: ['role:owner'] } })).toBe(false);
  expect(await covers({}, { rules: { ...managers, tenantId: 'globex' } })).toBe(false);
  const asked: unknown[] = [];
  mayAnswer = ({ request, user }) => {
    asked.push([user['id'], request.input]);
    return false;
  };
  expect(await covers({}, { rules: managers })).toBe(false);
  expect(asked).toEqual([['kim', {}]]);
});

it('uses the newest claims of a user who approves own calls', async () => {
  const manager: User = { ...kim, id: 'ada' };
  await grants.add({ ...own, granter: { user: manager, isOperator: false } });
  expect(await covers({}, { rules: managers, user: manager })).toBe(true);
  expect(await covers({}, { rules: managers, user: { ...manager, roles: [] } })).toBe(false);
});

it('counts nobody as an operator who approved own calls as one', async () => {
  await grants.add({ ...own, granter: { user: { ...ada, roles: ['operator'] }, isOperator: true } });
  expect(await covers()).toBe(true);
  expect(await covers({}, { rules: managers })).toBe(false);
});

it('counts the grant of an operator, who may always approve', async () => {
  await grants.add({ ...own, grantedBy: undefined, granter: { user: undefined, isOperator: true } });
  expect(await covers()).toBe(true);
  expect(await covers({}, { rules: managers })).toBe(true);
});

it('lists the grants for a user and by a user, newest first', async () => {
  const ids = async (user: string) =>
    (await grants.list({ user }, 10)).map(({ userId, toolName }) => [userId, toolName]);
  for (const grant of [byKim, { ...own, toolName: 'pay' }, { ...byKim, userId: 'eve' }]) {
    now += 1;
    await grants.add(grant);
  }
  expect(await ids('ada')).toEqual([
    ['ada', 'pay'],
    ['ada', 'refund'],
  ]);
  expect(await ids('kim')).toEqual([
    ['eve', 'refund'],
    ['ada', 'refund'],
  ]);
  expect(await ids('eve')).toEqual([['eve', 'refund']]);
  expect(await grants.list('anyone', 10)).toHaveLength(3);
  for (const user of ['anyone', 'all', '']) expect(await ids(user)).toEqual([]);
  expect((await grants.list('anyone', 1, 1)).map(({ toolName }) => toolName)).toEqual(['pay']);
});

it('is no request, whatever the ids of users and tenants are', async () => {
  const userId = 'tenant:acme';
  const grant = await grants.add({ ...byKim, userId, agentId: '"],["' });
  const everyone: readonly User[] = [
    kim,
    { ...kim, tenantId: '' },
    { id: userId, tenantId: 'acme', roles: ['', 'all'] },
  ];
  for (const user of everyone) expect(await approvals.listOpen(user, String(user.id), 10)).toEqual([]);
  expect(await covers({ userId, agentId: '"],["' }, { rules: managers })).toBe(true);
  expect((await grants.list({ user: userId }, 10)).map(({ id }) => id)).toEqual([grant.id]);
});

it('does not take requests for grants', async () => {
  const request = approvals.request({ ...calls, toolCallId: 't', input: {} }, { hasRules: true, allowsAlways: true });
  await approvals.open(request, calls, { rules: managers, user: undefined });
  expect(await grants.find(request.approvalId)).toBeUndefined();
  const stored: ApprovalGrant = await grants.add(own);
  expect(stored.id).not.toBe(request.approvalId);
});
