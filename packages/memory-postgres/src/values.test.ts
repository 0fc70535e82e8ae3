import type { JsonObject } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { inMemoryOpener } from './open-embedded.ts';
import { openForTests } from './testing/open-for-test.ts';

const database = openForTests(async () => inMemoryOpener());
const nasty = 'NUL \0, halves \uD83E and \uDD86, whole 🦆, mark ␛0000';

it('keeps what no database holds: NUL and halves of surrogate pairs, in values, names and keys', async () => {
  const { executions } = database.storage;
  const value: JsonObject = { [nasty]: [nasty, { [nasty]: nasty }] };
  const owner = { user: nasty };
  const names = { workflowId: nasty, workflowName: nasty, userId: nasty, conversationId: nasty };
  const event = { type: 'workflow-start', from: nasty, timestamp: '', value };
  const given = {
    id: nasty,
    ...names,
    input: value,
    context: value,
    workflowState: value,
    metadata: value,
    user: value,
  };
  expect(await executions.create({ ...given, events: [event] }, { requestId: nasty })).toBe('created');
  expect(await executions.create({ ...given, events: [event] }, { requestId: nasty })).toBe('created');
  expect(await executions.find(owner, nasty)).toMatchObject(given);
  expect((await executions.list(owner, { parentExecutionId: null, metadata: value, limit: 9, offset: 0 })).total).toBe(
    1,
  );
  expect(await executions.due([nasty], 9)).toEqual([{ executionId: nasty, workflowId: nasty }]);

  const claimed = await executions.claim(nasty, { runner: nasty, leaseMs: 1_000 });
  const entry = {
    path: nasty,
    type: 'step',
    status: 'success',
    output: value,
    attempts: 1,
    startedAt: 1,
    endedAt: 2,
  } as const;
  const place = { path: nasty, stepId: nasty, stepIndex: 0, executionId: nasty };
  const suspension = { id: nasty, ...place, kind: 'step', reason: nasty, suspendedAt: 1, data: value } as const;
  const child = { id: `${nasty} child`, parentExecutionId: nasty, path: nasty, ...names };
  const { id: childId, ...created } = { ...child, input: value, context: {}, workflowState: value, metadata: value };
  const commit = {
    executionId: nasty,
    epoch: claimed?.execution.epoch ?? 0,
    commitId: nasty,
    expectedSeq: 1,
    entries: [entry],
    changes: [
      { id: nasty, statePatch: { [nasty]: nasty }, events: [event] },
      { id: childId, created, events: [event] },
    ],
    settled: [],
    suspensions: [suspension],
    timers: [{ path: `${nasty}/nap`, wakeAt: 5 }],
  };
  const committed = { status: 'committed', signals: 0, seq: 2, childSeqs: { [childId]: 1 } };
  expect(await executions.commit(commit)).toEqual(committed);
  expect(await executions.commit(commit)).toEqual(committed);
  expect(await executions.journal(owner, nasty)).toEqual([entry]);
  expect(await executions.events(owner, nasty, { after: 1, limit: 1 })).toEqual([{ seq: 2, event }]);
  expect([...(await executions.histories(owner, [childId], 1))]).toEqual([[childId, [{ seq: 1, event }]]]);

  const answer = { executionId: nasty, suspensionId: nasty, data: value, resumedBy: nasty, requestId: nasty };
  expect(await executions.resume(owner, answer)).toBe('resumed');
  await executions.request(owner, nasty, { kind: 'suspend', reason: nasty });
  expect(await executions.find(owner, nasty)).toMatchObject({
    workflowState: { [nasty]: nasty },
    suspensions: [],
    resumptions: [{ path: nasty, suspensionId: nasty, data: value, resumedBy: nasty }],
    timers: [{ path: `${nasty}/nap`, wakeAt: 5 }],
    request: { kind: 'suspend', reason: nasty },
    runner: nasty,
  });
  const rewind = { executionId: nasty, expectedSeq: 2, expectedSignals: 2, paths: [nasty], entries: [] };
  expect(await executions.rewind(owner, rewind)).toBe('rewound');
  expect(await executions.find(owner, nasty)).toMatchObject({ timers: [], rewinds: [{ paths: [nasty], seq: 2 }] });
  expect((await executions.find(owner, childId))?.status).toBe('cancelled');
});

it('keeps a text of a megabyte', async () => {
  const { executions } = database.storage;
  const input = '🦆é'.repeat(200_000);
  const values = {
    workflowId: 'w',
    workflowName: 'W',
    input,
    context: {},
    workflowState: {},
    metadata: {},
    events: [],
  };
  await executions.create({ id: 'large', ...values }, { requestId: 'r' });
  expect((await executions.find('anyone', 'large'))?.input).toBe(input);
});
