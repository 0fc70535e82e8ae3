import type { ExpiryRules, Suspension } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { scriptedModel } from '../testing/index.ts';
import { type TestRuntime, testRuntime } from '../testing/test-runtime.ts';
import { createTool } from '../tool/create-tool.ts';
import { createWorkflow } from './create-workflow.ts';

const hour = 3_600_000;
const paid: unknown[] = [];
const owner = 'anyone' as const;

let test: TestRuntime;
afterEach(async () => {
  paid.length = 0;
  await test.stop();
});

type Rules = ExpiryRules & { readonly approvers?: readonly string[] };

/** A step that asks, and an agent whose tool asks, and whose sub-agent's tool asks. */
const kinds = {
  'a step': (rules: Rules) =>
    createWorkflow({ id: 'w' }).andThen({
      id: 'ask',
      execute: ({ resumeData, suspend }) => resumeData ?? suspend('May I?', { cents: 5 }, rules),
    }),
  'a tool': (rules: Rules) => createWorkflow({ id: 'w' }).andAgent({ id: 'ask', agent: clerkOf(rules), prompt: 'Pay' }),
  'a tool that suspends': (rules: Rules) =>
    createWorkflow({ id: 'w' }).andAgent({ id: 'ask', agent: askerOf(rules), prompt: 'Pay' }),
  'a tool of a sub-agent': (rules: Rules) =>
    createWorkflow({ id: 'w' }).andAgent({
      id: 'ask',
      agent: new Agent({
        id: 'boss',
        model: scriptedModel({ toolCalls: [{ toolName: 'ask_clerk', input: { task: 'Pay' } }] }, ({ prompt }) =>
          JSON.stringify(prompt.at(-1)?.content),
        ),
        subAgents: [clerkOf(rules)],
      }),
      prompt: 'Pay',
    }),
};

function clerkOf(needsApproval: Rules): Agent {
  const pay = createTool({
    name: 'pay',
    description: '',
    input: Type.Object({ cents: Type.Integer() }),
    needsApproval,
    execute: ({ cents }) => {
      paid.push(cents);
      return 'paid';
    },
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'pay', input: { cents: 5 } }] }, ({ prompt }) =>
    JSON.stringify(prompt.at(-1)?.content),
  );
  return new Agent({ id: 'clerk', model, tools: [pay] });
}

/** Its tool asks by itself, and pays when it is approved. */
function askerOf(rules: Rules): Agent {
  const pay = createTool({
    name: 'pay',
    description: '',
    input: Type.Object({ cents: Type.Integer() }),
    execute: ({ cents }, { workflow }) => {
      const answer = workflow?.resumeData ?? workflow?.suspend('May I?', { cents }, rules);
      if (typeof answer === 'object' && answer !== null && 'approved' in answer && answer.approved === true)
        paid.push(cents);
      return answer;
    },
  });
  const model = scriptedModel({ toolCalls: [{ toolName: 'pay', input: { cents: 5 } }] }, ({ prompt }) =>
    JSON.stringify(prompt.at(-1)?.content),
  );
  return new Agent({ id: 'asker', model, tools: [pay] });
}

async function begin(kind: keyof typeof kinds, rules: Rules): Promise<string> {
  test = testRuntime({ workflows: [kinds[kind](rules)] });
  const id = await test.runtime.begin('w', null, { userId: 'ada', user: { id: 'ada' } });
  await test.advance(0);
  return id;
}

async function find(id: string) {
  return (await test.storage.executions.find(owner, id)) ?? expect.fail('no execution');
}
async function suspensionOf(id: string): Promise<Suspension> {
  const { suspensions } = await find(id);
  expect(suspensions).toHaveLength(1);
  return suspensions[0] ?? expect.fail('no suspension');
}

const names = Object.keys(kinds) as (keyof typeof kinds)[];

describe.each(names)('a request of %s', (kind) => {
  it('is denied when nobody has responded in time', async () => {
    const id = await begin(kind, { expiryMs: hour, onExpire: 'deny' });
    await test.advance(hour - 1);
    expect(await find(id)).toMatchObject({ status: 'suspended' });
    await test.advance(1);
    const { output, status } = await find(id);
    expect(status).toBe('completed');
    expect(JSON.stringify(output)).toContain('Nobody has responded in time.');
    expect(paid).toEqual([]);
  });

  it('continues when nobody has responded in time', async () => {
    const id = await begin(kind, { expiryMs: hour, onExpire: 'continue' });
    await test.advance(hour);
    const { output, status } = await find(id);
    expect(status).toBe('completed');
    expect(paid).toEqual(kind === 'a step' ? [] : [5]);
    if (kind === 'a step') expect(output).toEqual({ approved: true, reason: 'Nobody has responded in time.' });
  });

  it('asks others, who have a time limit, too', async () => {
    const onExpire = { approvers: ['role:director'], expiryMs: 2 * hour, onExpire: 'deny' } as const;
    const id = await begin(kind, { approvers: ['role:manager'], expiryMs: hour, onExpire });
    const first = await suspensionOf(id);
    expect(first.rules).toMatchObject({ approvers: ['role:manager'] });
    await test.advance(hour);

    const second = await suspensionOf(id);
    expect(second).toMatchObject({ reason: first.reason, kind: first.kind, rules: { approvers: ['role:director'] } });
    expect(second.data).toEqual(first.data);
    expect(second.id).not.toBe(first.id);
    // The first approvers come too late.
    const late = test.runtime.resume(
      { owner, workflowId: 'w', executionId: id },
      { suspensionId: first.id, resumeData: { approved: true } },
    );
    await expect(late).rejects.toMatchObject({ code: 'SUSPENSION_NOT_PENDING' });
    await test.advance(2 * hour - 1);
    expect((await suspensionOf(id)).id).toBe(second.id);
    await test.advance(1);
    expect(await find(id)).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([]);
  });

  it('reminds the same people, and continues with their response', async () => {
    const id = await begin(kind, {
      approvers: ['kim'],
      expiryMs: hour,
      onExpire: { expiryMs: hour, onExpire: { expiryMs: hour } },
    });
    for (const _ of [1, 2]) await test.advance(hour);
    const { id: suspensionId, rules } = await suspensionOf(id);
    expect(rules).toMatchObject({ approvers: ['kim'] });
    const types = (await test.storage.executions.events(owner, id, { after: 0, limit: 100 })).map(
      ({ event }) => event.type,
    );
    expect(types.filter((type) => type === 'workflow-suspended')).toHaveLength(3);
    const resumption = { suspensionId, resumeData: { approved: true } };
    await test.runtime.resume({ owner, workflowId: 'w', executionId: id }, resumption);
    await test.advance(0);
    expect(await find(id)).toMatchObject({ status: 'completed' });
    expect(paid).toEqual(kind === 'a step' ? [] : [5]);
  });
});

it('fails a step, and denies a call, without another rule', async () => {
  const step = await begin('a step', { expiryMs: hour });
  await test.advance(hour);
  expect(await find(step)).toMatchObject({ status: 'error', error: { message: expect.stringContaining('in time') } });
  await test.stop();
  for (const kind of ['a tool', 'a tool that suspends'] as const) {
    const call = await begin(kind, { expiryMs: hour });
    await test.advance(hour);
    expect(await find(call)).toMatchObject({
      status: 'completed',
      output: expect.stringContaining('Nobody has responded in time.'),
    });
    expect(paid).toEqual([]);
    if (kind === 'a tool') await test.stop();
  }
});

it.each<readonly [Rules, string]>([
  [{ expiryMs: 0 }, '`expiryMs` must be greater than 0'],
  [{ expiryMs: -1 }, '`expiryMs` must be greater than 0'],
  [{ expiryMs: NaN }, '`expiryMs` must be greater than 0'],
  [{ expiryMs: Infinity }, '100 years'],
  [{ expiryMs: 1, onExpire: { expiryMs: 1e14 } }, '100 years'],
  [{ onExpire: 'deny' }, '`onExpire` needs an `expiryMs`'],
  [{ expiryMs: 1, onExpire: 'escalate' as never }, '`onExpire` must be'],
  [{ expiryMs: 1, onExpire: { approvers: [], expiryMs: 1 } }, '`approvers` must name'],
  [{ expiryMs: 1, onExpire: { quorum: 2, expiryMs: 1 } }, 'need `approvers`'],
])('refuses the rules %o', async (rules, message) => {
  const id = await begin('a step', rules);
  expect(await find(id)).toMatchObject({ status: 'error', error: { message: expect.stringContaining(message) } });
});
