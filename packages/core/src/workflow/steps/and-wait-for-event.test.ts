import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { leaseMs, WorkflowKit } from '../testing/workflow-kit.ts';
import { andAll } from './and-all.ts';
import { andRace } from './and-race.ts';
import { andSleep } from './and-sleep.ts';
import { andThen } from './and-then.ts';
import { andWaitForEvent } from './and-wait-for-event.ts';
import { andWorkflow } from './and-workflow.ts';

const hour = 3_600_000;
const paid = Type.Object({ amount: Type.Number() });
const payment = createWorkflow({
  id: 'w',
  input: Type.Object({ order: Type.String() }),
})
  .andWaitForEvent({
    id: 'pay',
    event: 'order.paid',
    key: ({ data }) => data.order,
    schema: paid,
    timeoutMs: hour,
  })
  .andThen({ id: 'after', execute: ({ data }) => ({ received: data }) });
const event = { name: 'order.paid', key: 'o-1', payload: { amount: 3 } };

describe('andWaitForEvent', () => {
  it('waits without a process, and continues in another one with the payload', async () => {
    const kit = new WorkflowKit(payment);
    const id = await kit.begin({ order: 'o-1' });
    expect(await kit.row(id)).toMatchObject({
      status: 'suspended',
      runner: null,
      suspensions: [{ path: 'pay', kind: 'event', event: { name: 'order.paid', key: 'o-1' } }],
    });
    await kit.restart();
    expect(await kit.runtime.publish({ ...event, key: 'o-2' })).toMatchObject({ delivered: 0 });
    expect(await kit.runtime.publish(event)).toMatchObject({ delivered: 1 });
    await kit.settle();
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: { received: { amount: 3 } }, timers: [] });
  });

  it('receives an event that was published before the step began', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andSleep({ id: 'nap', durationMs: hour })
        .andWaitForEvent({ id: 'pay', event: 'order.paid' }),
    );
    const id = await kit.begin();
    expect(await kit.runtime.publish({ name: 'order.paid', payload: 7 })).toMatchObject({ delivered: 0 });
    await kit.advance(hour);
    await kit.advance(0);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: 7 });
  });

  it('returns null when no event came in time, in another process too', async () => {
    const kit = new WorkflowKit(payment);
    const id = await kit.begin({ order: 'o-1' });
    expect(await kit.nextDueInMs((await kit.row(id)).definition)).toBe(hour);
    await kit.restart();
    await kit.advance(hour - leaseMs - 1);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', runner: null });
    await kit.advance(1);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: { received: null } });
    expect(await kit.runtime.publish(event)).toMatchObject({ delivered: 0 });
  });

  it('fails when the payload does not fit the schema', async () => {
    const kit = new WorkflowKit(payment);
    const id = await kit.begin({ order: 'o-1' });
    await kit.runtime.publish({ ...event, payload: { amount: 'x' } });
    await kit.settle();
    const { error, status } = await kit.row(id);
    expect([status, error?.message]).toEqual(['error', expect.stringMatching(/payload\/amount/)]);
  });

  it('can be resumed by hand with a payload, which the schema checks', async () => {
    const kit = new WorkflowKit(payment);
    const id = await kit.begin({ order: 'o-1' });
    await expect(kit.answer(id, { amount: 'x' })).rejects.toThrow(/amount/);
    expect(await kit.resume(id, { amount: 4 })).toMatchObject({ result: { received: { amount: 4 } } });
  });

  it('receives the events of a loop one after another', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andForEach({
        id: 'lines',
        items: () => [1, 2, 3],
        step: andWaitForEvent({ id: 'ship', event: 'shipped' }),
      }),
    );
    const id = await kit.begin();
    for (const payload of ['a', 'b', 'c']) await kit.runtime.publish({ name: 'shipped', payload });
    await kit.settle();
    await kit.advance(0);
    await kit.advance(0);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: ['a', 'b', 'c'] });
  });

  it('waits in parallel branches: each event goes to one of them', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [
          andWaitForEvent({ id: 'one', event: 'shipped' }),
          andWaitForEvent({ id: 'two', event: 'shipped' }),
          andWaitForEvent({ id: 'three', event: 'paid' }),
        ],
      }),
    );
    const id = await kit.begin();
    for (const [name, payload] of [
      ['shipped', 1],
      ['paid', 2],
      ['shipped', 3],
    ] as const) {
      await kit.runtime.publish({ name, payload });
      await kit.settle();
    }
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: [1, 3, 2] });
  });

  it('no longer waits when its branch lost a race, or its execution was cancelled', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andRace({
          id: 'race',
          steps: [
            andWaitForEvent({ id: 'pay', event: 'paid', timeoutMs: 2 * hour }),
            andSleep({ id: 'nap', durationMs: hour }),
          ],
        })
        .andWaitForEvent({ id: 'ship', event: 'shipped', timeoutMs: hour }),
    );
    const id = await kit.begin('x');
    await kit.advance(hour);
    expect(await kit.row(id)).toMatchObject({ suspensions: [{ path: 'ship' }], timers: [{ path: 'ship#timeout' }] });
    expect(await kit.runtime.publish({ name: 'paid' })).toMatchObject({ delivered: 0 });
    expect(await kit.cancel(id)).toMatchObject({ status: 'cancelled', timers: [] });
    expect(await kit.runtime.publish({ name: 'shipped' })).toMatchObject({ delivered: 0 });
  });

  it('wins a race when its event comes first', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [
          andRace({
            id: 'race',
            steps: [andWaitForEvent({ id: 'pay', event: 'paid' }), andSleep({ id: 'nap', durationMs: hour })],
          }),
        ],
      }),
    );
    const id = await kit.begin('x');
    await kit.runtime.publish({ name: 'paid', payload: 'won' });
    await kit.settle();
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: ['won'] });
  });

  it('waits in a sub-workflow', async () => {
    const child = createWorkflow({ id: 'child' }).andWaitForEvent({ id: 'pay', event: 'paid', timeoutMs: hour });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [andWorkflow({ id: 'sub', workflow: child })] }),
      child,
    );
    const [first, second] = [await kit.begin('x'), await kit.begin('x')];
    await kit.runtime.publish({ name: 'paid', payload: 5 });
    await kit.settle();
    expect(await kit.row(first)).toMatchObject({ status: 'completed', output: [5] });
    expect(await kit.row(second)).toMatchObject({ status: 'completed', output: [5] });
    kit.clock.advance(1);
    const third = await kit.begin('x');
    await kit.advance(hour);
    expect(await kit.row(third)).toMatchObject({ status: 'completed', output: [null] });
  });

  it('receives its event again after a rewind, and waits for a new one in a replay', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andWaitForEvent({ id: 'pay', event: 'paid' })
        .andThen({
          id: 'ask',
          execute: ({ data, resumeData, suspend }) => (resumeData === undefined ? suspend('?') : data),
        }),
    );
    const id = await kit.begin();
    await kit.runtime.publish({ name: 'paid', payload: 1 });
    await kit.settle();
    await kit.answer(id, undefined, 'pay');
    await kit.advance(0);
    expect(await kit.row(id)).toMatchObject({ suspensions: [{ path: 'ask' }] });
    expect(await kit.resume(id, true)).toMatchObject({ status: 'completed', result: 1 });
    kit.clock.advance(1);
    const replayed = await kit.replay(id, { stepId: 'pay' });
    expect(replayed).toMatchObject({ status: 'suspended' });
    await kit.runtime.publish({ name: 'paid', payload: 2 });
    await kit.settle();
    expect(await kit.row(replayed.executionId)).toMatchObject({ suspensions: [{ path: 'ask' }] });
  });

  it('publishes once for a repeated request, and refuses names and keys that are not valid', async () => {
    const kit = new WorkflowKit(payment);
    const { eventId } = await kit.runtime.publish({ ...event, requestId: 'r' });
    expect(await kit.runtime.publish({ ...event, requestId: 'r' })).toEqual({ eventId, delivered: 0 });
    await expect(kit.runtime.publish({ name: 'a b' })).rejects.toThrow('name must be up to 100');
    await expect(kit.runtime.publish({ name: 'a', key: '' })).rejects.toThrow('key must have 1 to 200');
    expect(() => andWaitForEvent({ id: 'x', event: '' })).toThrow('invalid name');
    await expect(kit.runtime.publish({ name: 'halyard.execution-ended', key: 'run-1' })).rejects.toThrow(
      'name must not begin with "halyard."',
    );
    expect(() => andWaitForEvent({ id: 'x', event: 'halyard.execution-ended' })).toThrow('nobody can publish');
    expect(() => andWaitForEvent({ id: 'x', event: 'e', timeoutMs: 0 })).toThrow('greater than 0');
  });
});

describe('publish', () => {
  it('refuses a payload that is larger than a value of an execution may be, and stores nothing', async () => {
    const kit = new WorkflowKit(payment).use({ executionValueBytes: 1_000 });
    const id = await kit.begin({ order: 'o-1' });
    const large = { ...event, payload: { amount: 3, note: 'x'.repeat(1_000) } };
    await expect(kit.runtime.publish(large, { at: 'body/' })).rejects.toMatchObject({
      code: 'VALUE_TOO_LARGE',
      kind: 'invalid-input',
      message: expect.stringContaining('body/payload has'),
    });
    expect(await kit.row(id)).toMatchObject({ status: 'suspended' });
    expect(await kit.runtime.publish(event)).toMatchObject({ delivered: 1 });
  });
});

describe('a suspension with a time limit', () => {
  const ask = andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('?', undefined, { expiryMs: hour }),
    retries: { attempts: 5 },
  });
  const workflow = createWorkflow({ id: 'w' }).andTry({
    id: 'try',
    step: andAll({ id: 'all', steps: [ask] }),
    catch: andThen({ id: 'late', execute: ({ data }) => data.error.message }),
  });

  it('fails the step, without a retry, when nobody has answered in time', async () => {
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin();
    await kit.advance(hour - 1);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', suspensions: [{ path: 'try/all/ask' }] });
    await kit.restart();
    expect(await kit.row(id)).toMatchObject({
      status: 'completed',
      output: 'Step "ask" failed: step "ask" was not resumed in time',
    });
  });

  it('has no effect when somebody has answered', async () => {
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin();
    expect(await kit.resume(id, 'yes')).toMatchObject({ status: 'completed', result: ['yes'] });
    await kit.advance(hour);
    expect(await kit.row(id)).toMatchObject({ status: 'completed' });
  });
});

describe('whose events a step receives', () => {
  const waits = (from?: 'server' | 'owner') =>
    createWorkflow({ id: 'w' }).andWaitForEvent({ id: 'pay', event: 'order.paid', ...(from && { from }) });
  const ada = { owner: { user: 'ada' } };
  const eve = { owner: { user: 'eve' } };
  const given = { name: 'order.paid', payload: 1 };

  it.each([undefined, 'server'] as const)('from %s: those of the app', async (from) => {
    const kit = new WorkflowKit(waits(from));
    const id = await kit.begin({}, { userId: 'ada' });
    for (const publisher of [ada, eve])
      expect(await kit.runtime.publish(given, publisher)).toMatchObject({ delivered: 0 });
    expect(await kit.row(id)).toMatchObject({ status: 'suspended' });
    expect(await kit.runtime.publish({ ...given, payload: 2 })).toMatchObject({ delivered: 1 });
    await kit.settle();
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: 2 });
  });

  it('from the owner: also those of the user of the execution', async () => {
    for (const publisher of [ada, {}]) {
      const kit = new WorkflowKit(waits('owner'));
      const id = await kit.begin({}, { userId: 'ada' });
      expect(await kit.runtime.publish(given, eve)).toMatchObject({ delivered: 0 });
      expect(await kit.runtime.publish(given, publisher)).toMatchObject({ delivered: 1 });
      await kit.settle();
      expect(await kit.row(id)).toMatchObject({ status: 'completed', output: 1 });
    }
  });

  it('also of events that were published before the step began', async () => {
    for (const [from, status] of [
      ['server', 'suspended'],
      ['owner', 'completed'],
    ] as const) {
      const kit = new WorkflowKit(
        createWorkflow({ id: 'w' })
          .andSleep({ id: 'nap', durationMs: hour })
          .andWaitForEvent({ id: 'pay', event: 'order.paid', from }),
      );
      const id = await kit.begin({}, { userId: 'ada' });
      await kit.runtime.publish(given, ada);
      await kit.advance(hour);
      await kit.advance(0);
      expect(await kit.row(id)).toMatchObject({ status });
    }
  });

  it('also of waits in code', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andRun({
        id: 'code',
        run: async ({ waitForEvent }) => {
          const own = await waitForEvent('own', { event: 'order.paid', from: 'owner' });
          return [own, await waitForEvent('app', { event: 'order.paid' })];
        },
      }),
    );
    const id = await kit.begin({}, { userId: 'ada' });
    await kit.runtime.publish(given, ada);
    await kit.settle();
    expect(await kit.runtime.publish({ ...given, payload: 2 }, ada)).toMatchObject({ delivered: 0 });
    await kit.runtime.publish({ ...given, payload: 3 });
    await kit.settle();
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: [1, 3] });
  });

  it('refuses another publisher', () => {
    expect(() => waits('user' as 'owner')).toThrow('`from` of step "pay" must be "server" or "owner", not "user"');
  });
});
