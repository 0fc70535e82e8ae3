import { createWorkflow } from '@halyard/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { requestWorkflows, type WorkflowReply, workflows } from '../../../testing/workflows.ts';

const mirror = createWorkflow({ id: 'mirror', name: 'Mirror', purpose: '' }).andThen(
  // Returns the user that a step receives.
  { id: 'probe', execute: ({ context, state, user }) => ({ context, userId: state.userId, user }) },
);

let server: Served;
beforeAll(async () => {
  server = await serve([], {
    workflows: [...workflows, mirror],
    userOf: ({ headers }) => (typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined),
  });
});
afterAll(() => server.close());

const as = (user: string | undefined, path: string, body?: unknown): Promise<WorkflowReply> =>
  requestWorkflows(server.origin, path, body, user === undefined ? {} : { 'x-user': user });

let count = 0;

/** A suspended execution of Ada's. */
async function suspendedOfAda(): Promise<string> {
  const executionId = `ada-${(count += 1)}`;
  await as('ada', '/approval/execute', { input: { total: 1 }, options: { executionId } });
  return executionId;
}

describe('an execution that a verified user starts', () => {
  it('belongs to that user, whatever the request contains', async () => {
    const options = { userId: 'mallory', context: { userId: 'mallory', tenant: 1 } };
    expect((await as('ada', '/mirror/execute', { input: {}, options })).data['result']).toEqual({
      context: { userId: 'ada', tenant: 1 },
      userId: 'ada',
      user: { id: 'ada' },
    });
  });

  it('belongs to the user of the request if no user is verified', async () => {
    const options = { userId: 'bob', context: { userId: 'eve' } };
    expect((await as(undefined, '/mirror/execute', { input: {}, options })).data['result']).toEqual({
      context: { userId: 'eve' },
      userId: 'bob',
    });
  });
});

const calls: readonly (readonly [call: string, body: unknown])[] = [
  ['', undefined],
  ['/state', undefined],
  ['/stream', undefined],
  ['/suspend', { reason: 'x' }],
  ['/resume', { resumeData: { by: 'eve' } }],
  ['/resume', { resumeData: 'unfit' }],
  ['/cancel', {}],
  ['/terminate', {}],
  ['/retry', {}],
  ['/replay', { stepId: 'approve' }],
];

describe('an execution of another user', () => {
  it.each(calls)('is answered like an unknown one: %s %j', async (call, body) => {
    const id = await suspendedOfAda();
    const [theirs, unknown] = await Promise.all(
      [id, 'x'.repeat(id.length)].map(async (executionId) => {
        const reply = await fetch(`${server.origin}/workflows/approval/executions/${executionId}${call}`, {
          ...(body !== undefined && json(body)),
          headers: { 'x-user': 'eve', ...(body !== undefined && { 'content-type': 'application/json' }) },
        });
        return {
          status: reply.status,
          code: reply.headers.get('x-error-code'),
          names: [...reply.headers.keys()],
          text: (await reply.text()).replace(executionId, ''),
        };
      }),
    );
    expect(theirs).toEqual(unknown);
    expect(theirs).toMatchObject({ status: 404, code: 'EXECUTION_NOT_FOUND' });
    expect((await as('ada', `/approval/executions/${id}`)).data).toMatchObject({ status: 'suspended' });
  });

  it('is accessible if no user is verified', async () => {
    const id = await suspendedOfAda();
    expect(await as(undefined, `/approval/executions/${id}`)).toMatchObject({ status: 200 });
    expect(await as(undefined, `/approval/executions/${id}/cancel`, {})).toMatchObject({ status: 200 });
  });

  it('keeps its id', async () => {
    const executionId = await suspendedOfAda();
    expect(await as('eve', '/sum/execute', { input: { a: 1, b: 1 }, options: { executionId } })).toMatchObject({
      status: 409,
      code: 'EXECUTION_EXISTS',
    });
  });
});

describe('a user’s own execution', () => {
  it('can be resumed, and is replayed by an operator for the same user', async () => {
    const id = await suspendedOfAda();
    const replayed = await as(undefined, `/approval/executions/${id}/replay`, { stepId: 'approve' });
    expect(replayed).toMatchObject({ status: 200, data: { status: 'suspended' } });
    const path = `/approval/executions/${replayed.executionId}/resume`;
    expect(await as('eve', path, { resumeData: { by: 'eve' } })).toMatchObject({ status: 404 });
    expect(await as('ada', path, { resumeData: { by: 'ada' } })).toMatchObject({ status: 200 });
  });
});

describe('the list', () => {
  it.each([
    ['', 'eve'],
    ['?userId=ada', 'eve'],
    ['?userId=eve', 'eve'],
  ])('contains only executions of the verified user: %s', async (query, user) => {
    await suspendedOfAda();
    await as('eve', '/sum/execute', { input: { a: 1, b: 1 } });
    const { data } = await as(user, `/executions${query}`);
    const owners = (data as unknown as { userId: string }[]).map(({ userId }) => userId);
    expect(new Set(owners)).toEqual(new Set(['eve']));
  });

  it('contains all executions if no user is verified', async () => {
    await suspendedOfAda();
    const { data } = await as(undefined, '/executions?userId=ada&limit=1');
    expect(data).toMatchObject([{ userId: 'ada' }]);
  });
});
