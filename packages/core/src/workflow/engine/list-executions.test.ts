import { InvalidInputError } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import type { ListOptions } from './list-executions.ts';

const ask = createWorkflow({ id: 'ask' }).andThen({
  id: 'approve',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('?'),
});
const done = createWorkflow({ id: 'done' }).andWorkflow({
  id: 'sub',
  workflow: createWorkflow({ id: 'child' }).andThen({ id: 'one', execute: () => 1 }),
});

async function filled(): Promise<WorkflowKit> {
  const kit = new WorkflowKit(ask, done);
  for (let count = 1; count <= 3; count += 1) {
    const options = { executionId: `ada-${count}`, userId: 'ada', metadata: { shop: count === 1 ? 'rome' : 'oslo' } };
    await kit.runtime.execute('ask', null, options);
    kit.clock.advance(1);
  }
  await kit.runtime.execute('done', null, { executionId: 'ben-1', userId: 'ben', metadata: { shop: 'oslo' } });
  return kit;
}

async function idsOf(kit: WorkflowKit, options: Partial<ListOptions>): Promise<readonly string[]> {
  const { executions } = await kit.runtime.list({ owner: 'anyone', ...options });
  return executions.map(({ id }) => id);
}

describe('list', () => {
  it.each([
    [{}, ['ben-1', 'ada-3', 'ada-2', 'ada-1']],
    [{ owner: { user: 'ada' } }, ['ada-3', 'ada-2', 'ada-1']],
    [{ userId: 'ben' }, ['ben-1']],
    [{ owner: { user: 'ada' }, userId: 'ben' }, []],
    [{ workflowId: 'done' }, ['ben-1']],
    [{ workflowId: 'unknown' }, []],
    [{ status: 'suspended', metadata: { shop: 'oslo' } }, ['ada-3', 'ada-2']],
    [{ offset: 1, limit: 2 }, ['ada-3', 'ada-2']],
    [{ parentExecutionId: 'unknown' }, []],
    [
      { workflowId: undefined, status: undefined, after: undefined, limit: undefined },
      ['ben-1', 'ada-3', 'ada-2', 'ada-1'],
    ],
  ] satisfies readonly (readonly [Partial<ListOptions>, readonly string[]])[])(
    'returns the newest first, by %j',
    async (options, ids) => {
      expect(await idsOf(await filled(), options)).toEqual(ids);
    },
  );

  it('continues after the last execution of the previous page, whatever was started since', async () => {
    const kit = await filled();
    const page = { owner: { user: 'ada' }, limit: 2 } as const;
    const first = await kit.runtime.list(page);
    expect(first).toMatchObject({ executions: [{ id: 'ada-3' }, { id: 'ada-2' }], hasMore: true });
    await kit.runtime.execute('ask', null, { executionId: 'ada-4', userId: 'ada' });
    expect(await kit.runtime.list({ ...page, after: 'ada-2' })).toMatchObject({
      executions: [{ id: 'ada-1' }],
      hasMore: false,
    });
  });

  it('lists the sub-workflows of an execution to its owner only', async () => {
    const kit = await filled();
    const of = { parentExecutionId: 'ben-1' };
    expect(await kit.runtime.list({ owner: { user: 'ben' }, ...of })).toMatchObject({
      executions: [{ workflowId: 'child', parentExecutionId: 'ben-1' }],
    });
    expect(await kit.runtime.list({ owner: { user: 'ada' }, ...of })).toEqual({ executions: [], hasMore: false });
  });

  it('cuts a page by its bytes', async () => {
    const kit = await filled();
    expect(await kit.runtime.list({ owner: 'anyone', maxBytes: 1 })).toMatchObject({
      executions: [{ id: 'ben-1' }],
      hasMore: true,
    });
  });

  it.each([
    [undefined, "owner must be 'anyone', or an object with the id of a user: { user }"],
    [{}, "owner must be 'anyone', or an object with the id of a user: { user }"],
    [{ owner: 'ada' }, "owner must be 'anyone', or an object with the id of a user: { user }"],
    [{ owner: { user: undefined } }, "owner must be 'anyone', or an object with the id of a user: { user }"],
    [{ owner: 'anyone', state: 'error' }, 'state is not a known field'],
    [{ owner: 'anyone', status: 'failed' }, 'status must be one of cancelled, completed, error, running, suspended'],
    [{ owner: 'anyone', workflowId: 5 }, 'workflowId must be a text'],
    [{ owner: 'anyone', parentExecutionId: 5 }, 'parentExecutionId must be a text or null'],
    [{ owner: 'anyone', limit: 0 }, 'limit must be a whole number, 1 to 200'],
    [{ owner: 'anyone', limit: 201 }, 'limit must be a whole number, 1 to 200'],
    [{ owner: 'anyone', limit: 1.5 }, 'limit must be a whole number, 1 to 200'],
    [{ owner: 'anyone', offset: -1 }, 'offset must be a whole number, 0 to 100000'],
    [{ owner: 'anyone', maxBytes: 0 }, 'maxBytes must be a whole number, 1 to 9007199254740991'],
    [{ owner: 'anyone', from: '2026' }, 'from must be a time in milliseconds'],
    [{ owner: 'anyone', ids: 'a' }, 'ids must be a list of texts'],
    [{ owner: 'anyone', isQuarantined: false }, 'isQuarantined must be true'],
    [{ owner: 'anyone', metadata: [] }, 'metadata must be an object'],
    [{ owner: 'anyone', metadata: { big: new Map() } }, 'metadata is a Map in "big", which is not JSON'],
    [{ owner: 'anyone', after: 'unknown' }, 'after names no execution: unknown'],
    [{ owner: { user: 'ben' }, after: 'ada-1' }, 'after names no execution: ada-1'],
  ])('refuses %j', async (options, message) => {
    const kit = await filled();
    await expect(kit.runtime.list(options as never)).rejects.toThrow(new InvalidInputError(message));
  });
});
