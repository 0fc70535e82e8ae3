import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { silentLogger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { describe, expect, it, vi } from 'vitest';
import { approvalExpiryId } from '../../agent/approvals/expiring-request.ts';
import { sequentialIds } from '../../testing/sequential-ids.ts';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { Gate } from '../testing/gate.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { toBulkId } from './bulk-id.ts';
import type { BulkOperation } from './bulk-operations.ts';
import { readPage } from './bulk-page.ts';
import type { BulkRequest } from './bulk-request.ts';
import { bulkWorkflowId } from './bulk-workflow-id.ts';

/** Fails on the first run of each execution. `runs`: how often each ran. */
function flaky(runs: Map<string, number>): ReturnType<typeof workflowOf> {
  return workflowOf(({ state: { executionId } }) => {
    const count = (runs.get(executionId) ?? 0) + 1;
    runs.set(executionId, count);
    if (count === 1) throw new TypeError('down');
    return 'up';
  });
}

const workflowOf = (execute: (context: { readonly state: { readonly executionId: string } }) => string) =>
  createWorkflow({ id: 'flaky' }).andThen({ id: 'call', execute });

const waiting = createWorkflow({ id: 'waiting' })
  .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('asks') })
  .andThen({ id: 'done', execute: ({ data }) => data });
const quick = createWorkflow({ id: 'quick' }).andThen({ id: 'go', execute: () => 'gone' });

async function run(kit: WorkflowKit, request: BulkRequest): Promise<BulkOperation> {
  const { bulkId } = await kit.runtime.bulk.start(request);
  return kit.runtime.bulk.wait(bulkId);
}

describe('a bulk operation', () => {
  it('retries all failed executions, each once, over several pages', async () => {
    const runs = new Map<string, number>();
    const storage = createInMemoryStorage();
    const runtime = new WorkflowRuntime({ workflows: [flaky(runs)], storage, services: { logger: silentLogger } });
    runtime.startByHand();
    const ids = await Promise.all(Array.from({ length: 2_250 }, () => runtime.begin('flaky', null, {})));
    await Promise.all(ids.map((executionId) => runtime.wait({ owner: 'anyone', executionId })));
    const commit = vi.spyOn(storage.executions, 'commit');
    const started = await runtime.bulk.start({ operation: 'retry', filter: { workflowId: 'flaky', status: 'error' } });
    expect(started).toMatchObject({ status: 'running', matched: 2_250, endAt: null });
    expect(await runtime.bulk.wait(started.bulkId)).toMatchObject({
      bulkId: started.bulkId,
      operation: 'retry',
      status: 'completed',
      startAt: started.startAt,
      succeeded: 2_250,
      skipped: 0,
      failed: 0,
    });
    await Promise.all(ids.map((executionId) => runtime.wait({ owner: 'anyone', executionId })));
    expect([...runs.values()].every((count) => count === 2)).toBe(true);
    const own = { parentExecutionId: null, workflowId: bulkWorkflowId, limit: 10, offset: 0 };
    expect((await storage.executions.list('anyone', own)).executions.map(({ id }) => id)).toEqual([started.bulkId]);
    for (const { output } of await storage.executions.journal('anyone', started.bulkId))
      expect(JSON.stringify(output).length).toBeLessThan(50_000);
    // Another process would read the last pages only.
    const checkpoints = commit.mock.calls.flatMap(([{ checkpoint, executionId }]) =>
      executionId === started.bulkId && checkpoint !== undefined ? [checkpoint.entries.length] : [],
    );
    expect(checkpoints.length).toBeGreaterThan(0);
    expect(Math.max(...checkpoints)).toBeLessThan(20);
    await runtime.stop(0);
  });

  it('reports the executions whose state does not allow it', async () => {
    const kit = new WorkflowKit(waiting, quick);
    const asking = await kit.begin();
    const gone = await kit.runtime.begin('quick', null, { metadata: { tenant: 1 } });
    await kit.settle();
    const operation = await run(kit, { operation: 'resume', resumeData: 'yes', all: true });
    expect(operation).toMatchObject({ status: 'completed', matched: 2, succeeded: 1, skipped: 1, failed: 0 });
    expect(operation.skips).toEqual([
      {
        executionId: gone,
        workflowId: 'quick',
        code: 'EXECUTION_NOT_SUSPENDED',
        message: 'Execution is not suspended',
      },
    ]);
    expect(await kit.waitUntilIdle(asking)).toMatchObject({ status: 'completed', result: 'yes' });
    const others: readonly BulkRequest[] = [
      { operation: 'cancel', filter: { metadata: { tenant: 1 } } },
      { operation: 'retry', filter: { metadata: { tenant: 1 } } },
      { operation: 'resume', stepId: 'other', filter: { metadata: { tenant: 1 } } },
    ];
    for (const request of others) expect(await run(kit, request)).toMatchObject({ succeeded: 0, skipped: 1 });
  });

  it('cancels open executions, but not itself or another bulk operation', async () => {
    const kit = new WorkflowKit(waiting);
    const ids = [await kit.begin(), await kit.begin()];
    const operation = await run(kit, { operation: 'cancel', reason: 'wrong price', all: true });
    expect(operation).toMatchObject({ status: 'completed', matched: 2, succeeded: 2, skipped: 0 });
    for (const id of ids) expect((await kit.row(id)).status).toBe('cancelled');
    expect(await kit.runtime.bulk.preview({ all: true })).toEqual({ matched: 2, executionIds: ids.toReversed() });
  });

  it('does not cancel what ends an approval at its time limit', async () => {
    const expiry = createWorkflow({ id: approvalExpiryId('clerk') }).andThen({
      id: 'wait',
      execute: ({ suspend }) => suspend('waits'),
    });
    const kit = new WorkflowKit(waiting, expiry);
    const limit = await kit.runtime.begin(approvalExpiryId('clerk'), null, {});
    await kit.begin();
    await kit.settle();
    expect(await run(kit, { operation: 'cancel', all: true })).toMatchObject({ matched: 1, succeeded: 1 });
    expect((await kit.row(limit)).status).toBe('suspended');
  });

  it('resumes only the executions that are suspended at the step, and validates the answer', async () => {
    const asks = createWorkflow({ id: 'asks', resumeSchema: { type: 'object', required: ['by'] } }).andThen({
      id: 'ask',
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('asks'),
    });
    const kit = new WorkflowKit(asks);
    const id = await kit.begin();
    const misfit = await run(kit, { operation: 'resume', resumeData: 3, filter: { workflowId: 'asks' } });
    expect(misfit).toMatchObject({ succeeded: 0, failed: 1, failures: [{ executionId: id, code: 'INVALID_INPUT' }] });
    const other = await run(kit, { operation: 'resume', stepId: 'nowhere', filter: { workflowId: 'asks' } });
    expect(other).toMatchObject({ skips: [{ message: 'Execution is not suspended at step "nowhere"' }] });
    expect(
      await run(kit, { operation: 'resume', resumeData: { by: 'ada' }, filter: { workflowId: 'asks' } }),
    ).toMatchObject({ succeeded: 1 });
    expect((await kit.row(id)).output).toEqual({ by: 'ada' });
  });

  it('replays each execution once, and not the replays', async () => {
    const kit = new WorkflowKit(quick);
    const ids = [await kit.begin(), await kit.begin()];
    const operation = await run(kit, { operation: 'replay', stepId: 'go', filter: { workflowId: 'quick' } });
    expect(operation).toMatchObject({ matched: 2, succeeded: 2 });
    const filter = { parentExecutionId: null, workflowId: 'quick', limit: 10, offset: 0 };
    const { executions } = await kit.storage.executions.list('anyone', filter);
    expect(executions.map(({ metadata }) => metadata['replayedFrom']).filter((from) => from !== undefined)).toEqual(
      expect.arrayContaining(ids),
    );
    expect(executions).toHaveLength(4);
    const unreached = await run(kit, { operation: 'replay', stepId: 'nowhere', filter: { workflowId: 'quick' } });
    expect(unreached).toMatchObject({
      failed: 4,
      failures: Array.from({ length: 4 }, () => ({ code: 'INVALID_INPUT' })),
    });
  });

  it('names the first 200 refusals, and counts all', async () => {
    const kit = new WorkflowKit(quick);
    for (let count = 0; count < 250; count += 1) await kit.runtime.begin('quick', null, {});
    await kit.settle();
    const operation = await run(kit, { operation: 'cancel', filter: { status: 'completed' } });
    expect(operation).toMatchObject({ matched: 250, skipped: 250 });
    expect(operation.skips).toHaveLength(200);
  });

  it.each(['commit', 'rewind'] as const)(
    'goes on in another process without doing anything twice, whatever %s the first one has hung in',
    async (method) => {
      for (const isWritten of [true, false])
        for (let lastCall = 1; ; lastCall += method === 'commit' ? 1 : 33) {
          const kit = new WorkflowKit(flaky(new Map()));
          const ids: string[] = [];
          for (let count = 0; count < 130; count += 1) ids.push(await kit.runtime.begin('flaky', null, {}));
          await kit.settle();
          for (const id of ids) await kit.waitUntilIdle(id);
          const hung = hangAt(kit, { method, lastCall, isWritten });
          const request = { operation: 'retry', filter: { workflowId: 'flaky' }, requestId: hung.requestId } as const;
          const { bulkId } = await kit.runtime.bulk.start(request);
          const hasHung = await Promise.race([hung.promise, kit.runtime.bulk.wait(bulkId).then(() => false)]);
          // The first process does not notice, and continues its work.
          await kit.restart();
          const operation = await kit.runtime.bulk.wait(bulkId);
          expect(operation).toMatchObject({ status: 'completed', matched: 130, succeeded: 130, skipped: 0, failed: 0 });
          for (const id of ids) expect((await kit.row(id)).rewinds).toHaveLength(1);
          if (hasHung) continue;
          expect(lastCall).toBeGreaterThan(4);
          break;
        }
    },
  );
});

/**
 * Lets a call of the store never return: a commit of the bulk operation, or any rewind.
 * `isWritten`: whether it is carried out.
 */
function hangAt(
  { storage: { executions } }: WorkflowKit,
  {
    isWritten,
    lastCall,
    method,
  }: { readonly method: 'commit' | 'rewind'; readonly lastCall: number; readonly isWritten: boolean },
): { readonly requestId: string; readonly promise: Promise<true> } {
  const { promise, resolve } = Promise.withResolvers<true>();
  const requestId = 'outage';
  let calls = 0;
  const counted = async <Outcome>(call: () => Promise<Outcome>): Promise<Outcome> => {
    calls += 1;
    if (calls !== lastCall) return call();
    if (isWritten) await call();
    resolve(true);
    return new Promise(() => {});
  };
  const [commit, rewind] = [executions.commit.bind(executions), executions.rewind.bind(executions)];
  if (method === 'rewind')
    vi.spyOn(executions, 'rewind').mockImplementation((...given) => counted(() => rewind(...given)));
  else
    vi.spyOn(executions, 'commit').mockImplementation((given) =>
      given.executionId === toBulkId('anyone', requestId) ? counted(() => commit(given)) : commit(given),
    );
  return { requestId, promise };
}

describe('the pages of a bulk operation', () => {
  it('go on after the executions at which a page ended are deleted', async () => {
    const kit = new WorkflowKit(quick);
    const ids: string[] = [];
    for (let count = 0; count < 250; count += 1)
      ids.push(await kit.begin(null, { userId: count % 2 === 0 ? 'ada' : 'bob' }));
    const parts = {
      store: kit.storage.executions,
      ids: sequentialIds('replay'),
      services: { logger: silentLogger, executionValueBytes: 1 },
      frameworkWorkflowIds: () => [],
      workflowOf: () => undefined,
    };
    const bulk = { action: { operation: 'retry' }, filter: { workflowId: 'quick' }, owner: 'anyone' } as const;
    const first = await readPage(parts, bulk, null);
    expect(first?.targets).toHaveLength(100);
    expect(first?.cursor.after).toBe(ids[150]);
    // Deletes the execution at which the page ended, too.
    await kit.storage.users.delete('ada');
    const second = await readPage(parts, bulk, first?.cursor ?? null);
    expect(second?.targets.map(({ executionId }) => executionId)).toEqual(
      ids.filter((_, index) => index < 150 && index % 2 === 1).toReversed(),
    );
    expect(await readPage(parts, bulk, second?.cursor ?? null)).toBeNull();
    await kit.storage.users.delete('bob');
    expect(await readPage(parts, bulk, second?.cursor ?? null)).toBeNull();
  });

  it('of a replay read one journal at a time', async () => {
    const kit = new WorkflowKit(quick);
    for (let count = 0; count < 5; count += 1) await kit.begin();
    const { executions } = kit.storage;
    const original = executions.journal.bind(executions);
    const reads = { begun: 0, running: 0, most: 0 };
    vi.spyOn(executions, 'journal').mockImplementation(async (...given) => {
      reads.begun += 1;
      reads.running += 1;
      reads.most = Math.max(reads.most, reads.running);
      await yieldToEventLoop();
      reads.running -= 1;
      return original(...given);
    });
    const parts = {
      store: executions,
      ids: sequentialIds('replay'),
      services: { logger: silentLogger, executionValueBytes: 1_000 },
      frameworkWorkflowIds: () => [],
      workflowOf: () => quick,
    };
    const action = { operation: 'replay', stepId: 'go' } as const;
    const page = await readPage(parts, { action, filter: { workflowId: 'quick' }, owner: 'anyone' }, null);
    expect(page?.targets.map(({ todo }) => todo)).toEqual(Array.from({ length: 5 }, () => 'replay'));
    expect(reads).toEqual({ begun: 5, running: 0, most: 1 });
  });
});

describe('the start of a bulk operation', () => {
  it('returns the first one for a repeated request id, and refuses another request with it', async () => {
    const kit = new WorkflowKit(quick);
    await kit.begin();
    const request = { operation: 'retry', filter: { status: 'error' }, requestId: 'monday' } as const;
    const [one, two] = await Promise.all([kit.runtime.bulk.start(request), kit.runtime.bulk.start(request)]);
    expect(two.bulkId).toBe(one.bulkId);
    await kit.runtime.bulk.wait(one.bulkId);
    expect((await kit.runtime.bulk.start(request)).bulkId).toBe(one.bulkId);
    await expect(kit.runtime.bulk.start({ ...request, operation: 'cancel' })).rejects.toMatchObject({
      code: 'BULK_REQUEST_EXISTS',
    });
    const ofAda = await kit.runtime.bulk.start(request, { owner: { user: 'ada' } });
    expect(ofAda.bulkId).not.toBe(one.bulkId);
  });

  it('reaches only the executions that are named', async () => {
    const kit = new WorkflowKit(waiting);
    const [one, two, three] = [await kit.begin(), await kit.begin(), await kit.begin()];
    await kit.settle();
    const ids = [three, one, 'unknown'];
    expect(await kit.runtime.bulk.preview({ filter: { ids } })).toEqual({ matched: 2, executionIds: [three, one] });
    const operation = await run(kit, { operation: 'cancel', filter: { ids, status: 'suspended' } });
    expect(operation).toMatchObject({ matched: 2, succeeded: 2, filter: { ids } });
    const statusOf = async (id: string) => (await kit.storage.executions.find('anyone', id))?.status;
    expect(await Promise.all([one, two, three].map(statusOf))).toEqual(['cancelled', 'suspended', 'cancelled']);
  });

  it('can be previewed, however many bulk operations are newer than the executions', async () => {
    const kit = new WorkflowKit(quick);
    const id = await kit.begin();
    for (let count = 0; count < 120; count += 1) await run(kit, { operation: 'retry', filter: { workflowId: 'none' } });
    expect(await kit.runtime.bulk.preview({ all: true })).toEqual({ matched: 1, executionIds: [id] });
  });

  it.each([
    [{ operation: 'retry', filter: {} }, 'filter must have a condition'],
    [{ operation: 'retry' }, 'filter must have a condition'],
    [{ operation: 'retry', filter: { metadata: {} } }, 'filter must have a condition'],
    [{ operation: 'retry', filter: { status: undefined } }, 'filter must have a condition'],
    [{ operation: 'retry', all: false }, 'all must be true'],
    [{ operation: 'retry', all: true, filter: { status: 'error' } }, 'exclude each other'],
    [{ operation: 'retry', filter: { workflow: 'quick' } }, 'filter/workflow is not a known field'],
    [{ operation: 'retry', filter: { limit: 1, status: 'error' } }, 'filter/limit is not a known field'],
    [{ operation: 'retry', filter: { from: Number.NaN } }, 'filter/from must be a time'],
    [{ operation: 'retry', filter: { isQuarantined: false } }, 'filter/isQuarantined must be true'],
    [{ operation: 'retry', filter: { workflowId: bulkWorkflowId } }, 'cannot change bulk operations'],
    [{ operation: 'retry', filter: { ids: [] } }, 'filter/ids must be a list of 1 to 1000 ids'],
    [{ operation: 'retry', filter: { ids: 'one' } }, 'filter/ids must be a list'],
    [{ operation: 'retry', filter: { ids: [1] } }, 'filter/ids must be a list'],
    [{ operation: 'retry', filter: { ids: Array(1_001).fill('x') } }, 'filter/ids must be a list'],
    [{ operation: 'delete', all: true }, 'operation must be one of'],
    [{ operation: 'constructor', all: true }, 'operation must be one of'],
    [{ operation: 'replay', all: true }, 'stepId is required'],
    [{ operation: 'replay', all: true, stepId: 3 }, 'stepId must be a text'],
    [{ operation: 'retry', all: true, stepId: 'go' }, 'stepId is not a field of the operation retry'],
    [{ operation: 'retry', all: true, requestId: '' }, 'requestId must have 1 to 200 characters'],
  ])('refuses %j', async (request, message) => {
    const { bulk } = new WorkflowKit(quick).runtime;
    await expect(bulk.start(request as BulkRequest)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message),
    });
  });

  it('is not possible as that of a workflow, which would give access to executions of everyone', async () => {
    const kit = new WorkflowKit(quick);
    const { bulkId } = await run(kit, { operation: 'retry', all: true });
    const key = { owner: 'anyone', workflowId: bulkWorkflowId, executionId: bulkId } as const;
    const { runtime } = kit;
    const refused = { code: 'WORKFLOW_NOT_FOUND' };
    await expect(runtime.begin(bulkWorkflowId, {}, {})).rejects.toMatchObject(refused);
    await expect(runtime.execute(bulkWorkflowId, {}, {})).rejects.toMatchObject(refused);
    await expect(runtime.stream(bulkWorkflowId, {}, {})).rejects.toMatchObject(refused);
    await expect(runtime.replay(key, { stepId: 'pages', inputData: {} })).rejects.toMatchObject(refused);
  });
});

describe('a bulk operation of a user', () => {
  it('reaches only executions of the user, and only the user reads it', async () => {
    const kit = new WorkflowKit(waiting);
    const [ada, bob] = [await kit.begin(null, { userId: 'ada' }), await kit.begin(null, { userId: 'bob' })];
    const owner = { user: 'ada' };
    const { bulkId, matched } = await kit.runtime.bulk.start({ operation: 'cancel', all: true }, { owner });
    expect(matched).toBe(1);
    expect(await kit.runtime.bulk.wait(bulkId)).toMatchObject({ succeeded: 1 });
    expect((await kit.row(ada)).status).toBe('cancelled');
    expect((await kit.row(bob)).status).toBe('suspended');
    expect(await kit.runtime.bulk.get(bulkId, { owner })).toMatchObject({ bulkId });
    const missing = { code: 'BULK_OPERATION_NOT_FOUND' };
    await expect(kit.runtime.bulk.get(bulkId, { owner: { user: 'bob' } })).rejects.toMatchObject(missing);
    await expect(kit.runtime.bulk.cancel(bulkId, { owner: { user: 'bob' } })).rejects.toMatchObject(missing);
    await expect(kit.runtime.bulk.get(ada)).rejects.toMatchObject(missing);
  });
});

describe('cancelling a bulk operation', () => {
  it('ends it, and keeps its report so far', async () => {
    const gate = new Gate();
    let asked = 0;
    const validate = async (value: unknown): Promise<{ readonly value: unknown }> => {
      asked += 1;
      if (asked === 150) await gate.pass(new AbortController());
      return { value };
    };
    const slow = createWorkflow({
      id: 'slow',
      resumeSchema: {
        '~standard': { version: 1, vendor: 'test', validate, jsonSchema: { input: () => ({}), output: () => ({}) } },
      },
    }).andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('asks') });
    const kit = new WorkflowKit(slow);
    for (let count = 0; count < 300; count += 1) await kit.runtime.begin('slow', null, {});
    await kit.settle();
    const { bulk } = kit.runtime;
    const { bulkId } = await bulk.start({ operation: 'resume', resumeData: 1, filter: { workflowId: 'slow' } });
    await gate.entered;
    expect(await bulk.get(bulkId)).toMatchObject({ status: 'running', matched: 300, succeeded: 100 });
    const cancelled = await bulk.cancel(bulkId, { reason: 'too many' });
    expect(cancelled).toMatchObject({ status: 'cancelled', succeeded: 100, endAt: expect.any(String) });
    gate.open();
    await kit.settle();
    const { total } = await kit.storage.executions.list('anyone', {
      parentExecutionId: null,
      workflowId: 'slow',
      status: 'suspended',
      limit: 1,
      offset: 0,
    });
    expect(total).toBeGreaterThanOrEqual(100);
    expect(await bulk.get(bulkId)).toEqual(cancelled);
    await expect(bulk.cancel(bulkId)).rejects.toMatchObject({ code: 'EXECUTION_NOT_RUNNING' });
  });
});
