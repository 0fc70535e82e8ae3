import { ConflictError, NotFoundError, type Owner } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { createRegistry } from '@halyard/core/server';
import { scriptedModel } from '@halyard/core/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../access/identity.ts';
import { Memories } from '../../../access/memories.ts';
import { accessMemory, type MemoryAccess, onConversation, requiredUser } from './memory-access.ts';

const ada: Caller = { user: { id: 'ada' }, address: '127.0.0.1' };
const eve: Caller = { user: { id: 'eve' }, address: '127.0.0.1' };
const operator: Caller = { user: undefined, hasConsoleAccess: true, isOperator: true, address: '127.0.0.1' };
const nobody: Caller = { user: {}, address: '127.0.0.1' };
const mismatch = expect.objectContaining({ code: 'USER_MISMATCH' });

const own = createMemory();
const shared = createMemory();
const agents = [new Agent({ id: 'one', model: scriptedModel('ok'), memory: own })];
const services = { memories: new Memories(createRegistry({ agents }), { memory: shared }) };

describe('the memory and the owner of a request', () => {
  it('are those of its parts, in any of which they may be named', () => {
    expect(accessMemory(operator, [{}, null], services)).toEqual({
      memory: shared,
      agentId: undefined,
      owner: 'anyone',
      caller: operator,
    });
    const named = { memory: own, agentId: 'one', owner: { user: 'bob' } };
    expect(accessMemory(operator, [{ userId: 'bob', agentId: 'one' }], services)).toMatchObject(named);
    expect(accessMemory(operator, [null, { userId: 'bob', agentId: 'one' }], services)).toMatchObject(named);
    expect(accessMemory(operator, [{ agentId: 'one' }, { userId: 'bob' }], services)).toMatchObject(named);
    const different = [
      { userId: 'bob', agentId: 'one' },
      { userId: 'ada', agentId: 'unknown' },
    ];
    expect(accessMemory(operator, different, services)).toMatchObject(named);
  });

  it('include the verified user, whom no part may replace', () => {
    expect(accessMemory(ada, [null, {}], services).owner).toEqual({ user: 'ada' });
    expect(accessMemory(ada, [{ userId: 'ada' }], services).owner).toEqual({ user: 'ada' });
    for (const sent of [[{ userId: 'bob' }], [{ userId: 'ada' }, { userId: 'bob' }], [null, { userId: 'bob' }]])
      expect(() => accessMemory(ada, sent, services)).toThrow(mismatch);
    expect(() => accessMemory(nobody, [{}], services)).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }));
  });
});

describe('the memory of an agent that users may not call', () => {
  const [team, hidden] = (['operators', 'server'] as const).map(
    (access) => new Agent({ id: access, access, model: scriptedModel('ok'), memory: createMemory() }),
  );
  const only = (...some: (Agent | undefined)[]) => {
    const registered = some.filter((agent) => agent !== undefined);
    return { memories: new Memories(createRegistry({ agents: registered }), {}) };
  };

  it('is open to operators only', () => {
    const both = only(team, hidden);
    for (const id of ['operators', 'server'])
      expect(accessMemory(operator, [{ agentId: id }], both)).toMatchObject({ agentId: id });
    expect(() => accessMemory(ada, [{ agentId: 'operators' }], both)).toThrow('Console access required');
    expect(() => accessMemory(ada, [{ agentId: 'server' }], both)).toThrow(new NotFoundError('agent', 'server'));
    expect(() => accessMemory(ada, [{ agentId: 'nobody' }], both)).toThrow(new NotFoundError('agent', 'nobody'));
  });

  it('is not that of requests that name no agent', () => {
    for (const agent of [team, hidden])
      expect(() => accessMemory(ada, [{}], only(agent))).toThrow('No memory is configured');
    expect(accessMemory(operator, [{}], only(hidden))).toMatchObject({ agentId: 'server' });
    expect(accessMemory(ada, [{}], only(hidden, ...agents))).toMatchObject({ agentId: 'one' });
  });
});

describe('an action on a conversation', () => {
  const id = 'the conversation of ada';
  const get = (owner: Owner) => own.get(owner, id);
  const as = (caller: Caller, userId?: string): MemoryAccess =>
    accessMemory(caller, [{ userId, agentId: 'one' }], services);
  beforeAll(() => own.create({ id, userId: 'ada', resourceId: 'one', title: '', metadata: {} }));

  it('is done for its owner', async () => {
    for (const access of [as(ada), as(operator), as(operator, 'ada')])
      expect(await onConversation(access, id, get)).toMatchObject({ id, userId: 'ada' });
  });

  it('finds nothing for another verified user, as if it did not exist', async () => {
    await expect(onConversation(as(eve), id, get)).rejects.toThrow(new NotFoundError('conversation', id));
  });

  it('is refused with a reason if a caller who can access all users names the wrong one', async () => {
    await expect(onConversation(as(operator, 'bob'), id, get)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      cause: { kind: 'not-found' },
    });
    const unknown = onConversation(as(operator, 'bob'), 'unknown', (owner) => own.get(owner, 'unknown'));
    await expect(unknown).rejects.toThrow(new NotFoundError('conversation', 'unknown'));
  });

  it.each([
    ['a failure of the storage', 'bob', new Error('the disk is full')],
    ['another failure of the request', 'bob', new ConflictError('CONVERSATION_EXISTS', 'in use')],
    ['something else that is missing', undefined, new NotFoundError('message', 'm1')],
  ])('fails with %s unchanged', async (_, userId, failure) => {
    const failed = onConversation(as(operator, userId), id, () => Promise.reject(failure));
    await expect(failed).rejects.toBe(failure);
  });

  it('fails unchanged for a verified user, also where the conversation is theirs', async () => {
    const failure = new NotFoundError('message', 'm1');
    await expect(onConversation(as(ada), id, () => Promise.reject(failure))).rejects.toBe(failure);
  });
});

it('requires a user where one is needed', () => {
  expect(requiredUser({ user: 'ada' })).toBe('ada');
  expect(() => requiredUser('anyone')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
});
