import type { Commit, ExecutionStore } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Agent } from '../../../agent/agent.ts';
import { scriptedModel, type ScriptedReply } from '../../../testing/index.ts';
import { createTool } from '../../../tool/create-tool.ts';
import type { ToolContext } from '../../../tool/tool.ts';
import { createWorkflow } from '../../create-workflow.ts';
import { WorkflowRuntime } from '../../engine/workflow-runtime.ts';
import type { FollowedEvent } from '../../follow/follow-execution.ts';
import { andWorkflow } from '../../steps/and-workflow.ts';
import { Gate } from '../../testing/gate.ts';
import { WorkflowKit } from '../../testing/workflow-kit.ts';

type Ran = (context: ToolContext, input: { readonly cents: number }) => unknown;

interface Made {
  readonly turns: readonly ScriptedReply[];
  readonly look?: Ran;
  readonly pay?: Ran;
  readonly workerTurns?: readonly ScriptedReply[];
}

const call = (toolName: string, toolCallId: string, cents = 5) => ({ toolName, toolCallId, input: { cents } });
const task = (toolCallId: string) => ({ toolName: 'ask_worker', toolCallId, input: { task: 'Work' } });

/**
 * A model whose turn depends on the prompt, as with real models: a continued run does not start
 * again.
 */
function modelByPrompt(turns: readonly ScriptedReply[]) {
  return scriptedModel(({ prompt }) => turns[prompt.filter(({ role }) => role === 'assistant').length] ?? 'Done.');
}

/**
 * A workflow whose agent and sub-agent each have a tool `look`, and a tool `pay` that needs
 * approval.
 */
function made({ look = () => 'seen', pay = () => 'paid', turns, workerTurns = [] }: Made) {
  const ran: string[] = [];
  const keys = new Map<string, Set<string>>();
  const tool = (name: string, run: Ran, needsApproval: boolean) =>
    createTool({
      name,
      description: name,
      input: Type.Object({ cents: Type.Number() }),
      needsApproval,
      execute: (input, context) => {
        const { idempotencyKey, toolCallId } = context;
        ran.push(toolCallId);
        keys.set(toolCallId, (keys.get(toolCallId) ?? new Set()).add(idempotencyKey));
        return run(context, input);
      },
    });
  const tools = [tool('look', look, false), tool('pay', pay, true)];
  const [model, workerModel] = [modelByPrompt(turns), modelByPrompt(workerTurns)];
  const worker = new Agent({ id: 'worker', model: workerModel, tools });
  const agent = new Agent({ id: 'boss', model, tools, subAgents: [worker] });
  const workflow = createWorkflow({ id: 'shop' })
    .andAgent({ id: 'buy', agent, prompt: 'Buy' })
    .andThen({ id: 'after', execute: ({ data }) => `${data}!` });
  return { agent, kit: new WorkflowKit(workflow), keys, model, ran, workerModel, workflow };
}

/** The tool results in the last prompt of the model. */
function toolResults({ calls }: ReturnType<typeof modelByPrompt>): unknown[] {
  const results = calls.at(-1)?.prompt.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return results?.map((part) => ('output' in part ? part.output : part)) ?? [];
}

/**
 * Collects the agent events of an execution from now until it is idle. It listens at once; the
 * returned function reads the events.
 */
async function listen(kit: WorkflowKit, id: string): Promise<() => Promise<string[]>> {
  const follower = await kit.runtime.follow(await kit.key(id), (await kit.row(id)).seq);
  return () => agentEvents(follower);
}

async function agentEvents(events: AsyncIterable<FollowedEvent>): Promise<string[]> {
  const lines: string[] = [];
  for await (const { event } of events) {
    if (event.type !== 'agent-event') continue;
    const { agentId, toolCallId, type } = event['event'] as { type: string; toolCallId?: string; agentId?: string };
    lines.push([agentId, type, toolCallId].filter((word) => word !== undefined).join(' '));
  }
  return lines;
}

it('leaves no timers while it waits for an answer, and none at its end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { kit } = made({ turns: [{ toolCalls: [call('look', 'l'), call('pay', 'p')] }] });
  const { executionId: id } = await kit.run();
  expect(vi.getTimerCount()).toBe(0);
  await kit.resume(id, { approved: true });
  expect(vi.getTimerCount()).toBe(0);
});

describe('a tool that needs approval', () => {
  it('suspends the workflow with the approval request, and runs once when it is approved', async () => {
    const { kit, model, ran } = made({ turns: [{ text: 'Paying.', toolCalls: [call('pay', 'p')] }] });
    const { executionId: id, status, suspensions } = await kit.run(null, { userId: 'ada', conversationId: 'talk' });
    expect(status).toBe('suspended');
    expect(suspensions).toMatchObject([{ stepId: 'buy', reason: 'Tool "pay" needs approval' }]);
    const { approvalId, signature, ...asked } = (suspensions?.[0]?.suspendData ?? {}) as Record<string, string>;
    expect(asked).toEqual({ agentId: 'boss', toolName: 'pay', toolCallId: 'p', input: { cents: 5 } });
    expect(approvalId).toMatch(new RegExp(`^[^@]+@${id}/buy#step-0/approval/p$`));
    const subject = { ...asked, userId: 'ada', conversationId: 'talk' } as never;
    expect(kit.services.approvals.verify({ approvalId: approvalId ?? '', signature: signature ?? '' }, subject)).toBe(
      true,
    );
    expect((await kit.row(id)).suspensions).toMatchObject([{ kind: 'approval', path: 'buy#step-0/approval/p' }]);
    expect(ran).toEqual([]);

    expect(await kit.resume(id, { approved: true })).toMatchObject({
      status: 'completed',
      result: 'Paying.\n\nDone.!',
    });
    expect(ran).toEqual(['p']);
    expect(model.calls).toHaveLength(2);
    expect(toolResults(model)).toEqual([{ type: 'text', value: 'paid' }]);
  });

  it('does not run when a person denies; the model sees the denial', async () => {
    const { kit, model, ran } = made({ turns: [{ toolCalls: [call('pay', 'p')] }] });
    const { executionId: id } = await kit.run();
    expect(await kit.resume(id, { approved: false, reason: 'too much' })).toMatchObject({ status: 'completed' });
    expect(ran).toEqual([]);
    expect(toolResults(model)).toEqual([{ type: 'execution-denied', reason: 'too much' }]);
  });

  it('accepts only an approval or a denial as answer', async () => {
    const { kit, ran } = made({ turns: [{ toolCalls: [call('pay', 'p')] }] });
    const { executionId: id } = await kit.run();
    for (const wrong of [undefined, 'yes', { approved: 'yes' }, { reason: 'because' }])
      await expect(kit.answer(id, wrong)).rejects.toMatchObject({
        kind: 'invalid-input',
        message: expect.stringMatching(/^resumeData/),
      });
    expect((await kit.row(id)).status).toBe('suspended');
    await kit.resume(id, { approved: true });
    await expect(kit.answer(id, { approved: true })).rejects.toMatchObject({ code: 'EXECUTION_NOT_SUSPENDED' });
    expect(ran).toEqual(['p']);
  });

  it('waits for several answers one after the other, across restarts', async () => {
    const { kit, model, ran } = made({
      turns: [{ toolCalls: [call('pay', 'p'), call('pay', 'q'), call('look', 'l')] }],
    });
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions?.map(({ suspendData }) => (suspendData as { toolCallId: string }).toolCallId)).toEqual([
      'p',
      'q',
    ]);
    const [, second] = (await kit.row(id)).suspensions;
    await kit.restart();

    expect(await kit.resume(id, { approved: true })).toMatchObject({
      status: 'suspended',
      suspensions: [{ suspendData: { toolCallId: 'q' } }],
    });
    expect((await kit.row(id)).suspensions).toEqual([second]);
    await kit.restart();
    expect(await kit.resume(id, { approved: false })).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['l', 'p']);
    expect(model.calls).toHaveLength(2);
    expect(toolResults(model)).toMatchObject([{ value: 'paid' }, { type: 'execution-denied' }, { value: 'seen' }]);
  });

  it('accepts answers in any order when each names its approval', async () => {
    const { kit, model, ran } = made({ turns: [{ toolCalls: [call('pay', 'p'), call('pay', 'q')] }] });
    const { executionId: id, suspensions = [] } = await kit.run();
    const [p = '', q = ''] = suspensions.map(({ suspensionId }) => suspensionId);
    expect(await kit.resume(id, { approved: true }, q)).toMatchObject({
      suspensions: [{ suspendData: { toolCallId: 'p' } }],
    });
    const key = await kit.key(id);
    const answer = (suspensionId: string) => kit.runtime.resume(key, { suspensionId, resumeData: { approved: true } });
    await expect(answer(q)).rejects.toMatchObject({ code: 'SUSPENSION_NOT_PENDING' });
    await kit.resume(id, { approved: false }, p);
    await expect(answer(p)).rejects.toMatchObject({ code: 'EXECUTION_NOT_SUSPENDED' });
    expect(ran).toEqual(['q']);
    expect(toolResults(model)).toMatchObject([{ type: 'execution-denied' }, { value: 'paid' }]);
  });

  it('records parallel calls and does not run them again', async () => {
    const gate = new Gate();
    const { kit, model, ran } = made({
      look: async (context) => {
        await gate.pass(context);
        return 'seen';
      },
      turns: [{ toolCalls: [call('look', 'l'), call('pay', 'p')] }],
    });
    const id = await kit.begin();
    expect((await kit.row(id)).status).toBe('running');
    gate.open();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'suspended' });
    expect(await kit.resume(id, { approved: true })).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['l', 'p']);
    expect(toolResults(model)).toMatchObject([{ value: 'seen' }, { value: 'paid' }]);
  });

  it('loses no answer that arrives while another call of the step still runs', async () => {
    const gate = new Gate();
    const { kit, ran } = made({
      pay: async (context) => {
        if (context.toolCallId === 'p') await gate.pass(context);
        return 'paid';
      },
      turns: [{ toolCalls: [call('pay', 'p'), call('pay', 'q')] }],
    });
    const { executionId: id } = await kit.run();
    await kit.answer(id, { approved: true });
    await gate.entered;
    await kit.answer(id, { approved: true });
    gate.open();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['p', 'q']);
  });

  it('suspends inside a sub-agent too, and continues there', async () => {
    const { kit, model, ran, workerModel } = made({
      turns: [{ toolCalls: [task('d'), call('look', 'l')] }],
      workerTurns: [{ toolCalls: [call('look', 'wl'), call('pay', 'wp')] }, 'Worked.'],
    });
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions).toMatchObject([{ stepId: 'buy', suspendData: { agentId: 'worker', toolCallId: 'wp' } }]);
    expect((await kit.row(id)).suspensions[0]?.path).toBe('buy#step-0/tool/d/step-0/approval/wp');
    await kit.restart();
    expect(await kit.resume(id, { approved: true })).toMatchObject({ status: 'completed', result: 'Done.!' });
    expect(ran.toSorted()).toEqual(['l', 'wl', 'wp']);
    expect([model.calls.length, workerModel.calls.length]).toEqual([2, 2]);
    expect(toolResults(model)).toMatchObject([{ value: 'Worked.' }, { value: 'seen' }]);
  });

  it('names the root execution and the path in it, also in loops and sub-workflows', async () => {
    const { agent, ran } = made({ turns: [{ toolCalls: [call('pay', 'p')] }] });
    const child = createWorkflow({ id: 'child', input: Type.String() }).andAgent({ id: 'buy', agent, prompt: 'Buy' });
    const each = createWorkflow({ id: 'each', input: Type.Array(Type.String()) }).andForEach({
      id: 'lines',
      concurrency: 2,
      step: andWorkflow({ id: 'sub', workflow: child }),
    });
    const kit = new WorkflowKit(each, child);
    const { executionId: id, suspensions = [] } = await kit.run(['a', 'b']);
    const ids = suspensions.map(({ suspendData }) => (suspendData as { approvalId: string }).approvalId);
    expect(ids.map((approvalId) => approvalId.slice(approvalId.indexOf('@') + 1))).toEqual([
      `${id}/lines:0/sub/buy#step-0/approval/p`,
      `${id}/lines:1/sub/buy#step-0/approval/p`,
    ]);
    const [first, second] = suspensions.map(({ suspensionId }) => suspensionId);
    expect(await kit.resume(id, { approved: true }, second)).toMatchObject({ suspensions: [{ stepId: 'buy' }] });
    expect((await kit.row(id)).suspensions).toMatchObject([{ path: 'lines:0/sub/buy#step-0/approval/p' }]);
    expect(await kit.resume(id, { approved: true }, first)).toMatchObject({
      status: 'completed',
      result: ['Done.', 'Done.'],
    });
    expect(ran).toEqual(['p', 'p']);
  });

  it('streams the events after the answer to a follower, each once', async () => {
    for (const approved of [true, false]) {
      const { kit } = made({ turns: [{ toolCalls: [call('look', 'l'), call('pay', 'p')] }] });
      const { events, executionId: id } = await kit.runtime.stream('shop', null, {});
      const before = await agentEvents(events);
      expect(before.filter((type) => !type.startsWith('tool-input'))).toEqual([
        'start',
        'start-step',
        'tool-call l',
        'tool-call p',
        'tool-result l',
      ]);
      const after = await listen(kit, id);
      await kit.answer(id, { approved });
      expect(await after()).toEqual([
        approved ? 'tool-result p' : 'tool-error p',
        'finish-step',
        'start-step',
        'text-start',
        'text-delta',
        'text-end',
        'finish-step',
        'finish',
      ]);
    }
  });
});

describe('a tool that calls `suspend`', () => {
  const asks: Ran = ({ workflow }, { cents }) => workflow?.resumeData ?? workflow?.suspend('how much?', { cents });

  it('runs again from its start with the resume data', async () => {
    const { kit, model, ran } = made({ look: asks, turns: [{ toolCalls: [call('look', 'l')] }] });
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions).toMatchObject([{ stepId: 'buy', reason: 'how much?', suspendData: { cents: 5 } }]);
    expect((await kit.row(id)).suspensions).toMatchObject([{ kind: 'step', path: 'buy#step-0/tool/l' }]);
    await kit.restart();
    expect(await kit.resume(id, { much: 7 })).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['l', 'l']);
    expect(model.calls).toHaveLength(2);
    expect(toolResults(model)).toEqual([{ type: 'json', value: { much: 7 } }]);
  });

  it('suspends even if the tool catches the signal, and may suspend several times', async () => {
    const { kit, model } = made({
      look: ({ workflow }) => {
        try {
          if (workflow?.resumeData === 'second') return 'thanks';
          workflow?.suspend(workflow.resumeData === 'first' ? 'and?' : 'so?');
        } catch {
          return 'never';
        }
        return 'never';
      },
      turns: [{ toolCalls: [call('look', 'l')] }],
    });
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions).toMatchObject([{ reason: 'so?' }]);
    expect(await kit.resume(id, 'first')).toMatchObject({ suspensions: [{ reason: 'and?' }] });
    await kit.resume(id, 'second');
    expect(toolResults(model)).toEqual([{ type: 'text', value: 'thanks' }]);
  });

  it('also suspends inside a sub-agent', async () => {
    const { kit, ran, workerModel } = made({
      look: asks,
      turns: [{ toolCalls: [task('d')] }],
      workerTurns: [{ toolCalls: [call('look', 'wl')] }],
    });
    const { executionId: id, suspensions } = await kit.run();
    expect(suspensions).toMatchObject([{ reason: 'how much?' }]);
    expect(await kit.resume(id, 9)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['wl', 'wl']);
    expect(toolResults(workerModel)).toEqual([{ type: 'json', value: 9 }]);
  });

  it('does not run while an answer is pending, and loses no answer that arrives in between', async () => {
    const gate = new Gate();
    const { kit, ran } = made({
      look: async (context, input) => {
        const answer = asks(context, input);
        if (context.toolCallId === 'l') await gate.pass(context);
        return answer;
      },
      turns: [{ toolCalls: [call('look', 'l'), call('look', 'm')] }],
    });
    const { executionId: id } = await kit.run();
    await kit.answer(id, 'for l');
    await gate.entered;
    expect(ran).toEqual(['l', 'm', 'l']);
    await kit.answer(id, 'for m');
    gate.open();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['l', 'm', 'l', 'm']);
  });

  it('cancels the execution with `abort`', async () => {
    const { kit, model } = made({
      look: ({ workflow }) => {
        try {
          return workflow?.abort('enough');
        } catch {
          return 'never';
        }
      },
      turns: [{ toolCalls: [call('look', 'l')] }],
    });
    const { executionId: id, status } = await kit.run();
    expect(status).toBe('cancelled');
    expect((await kit.events(id)).at(-2)).toMatchObject({ type: 'workflow-cancelled', reason: 'enough' });
    expect(model.calls).toHaveLength(1);
  });
});

describe('a process that dies', () => {
  const story: Made = {
    turns: [
      { toolCalls: [call('look', 'l'), task('d')] },
      { text: 'Paying.', toolCalls: [call('pay', 'p'), call('look', 'm')] },
      'Bought.',
    ],
    workerTurns: [{ toolCalls: [call('look', 'w')] }, 'Worked.'],
  };
  const modelKey = /#.*\/model$/;
  const toolKey = /\/tool\/[lmpw]$/;

  /** Counts of model calls and tool runs. */
  const effects = ({ model, ran, workerModel }: ReturnType<typeof made>): [number, number] => [
    model.calls.length + workerModel.calls.length,
    ran.length,
  ];

  for (const isWritten of [true, false]) {
    it(`at any commit, ${isWritten ? 'after' : 'before'} it is written, does not repeat recorded calls`, async () => {
      let stops = 0;
      for (let last = 1; ; last += 1) {
        const whole = made(story);
        const { kit, workflow } = whole;
        const store = dyingStore(kit.storage.executions, { isWritten, last });
        const dying = new WorkflowRuntime({
          workflows: [workflow],
          storage: { executions: store },
          services: kit.services,
        });
        dying.startByHand();
        const id = await dying.begin('shop', null, {});
        await kit.settle();
        const { status, suspensions } = await kit.row(id);
        if (status === 'suspended')
          await dying.resume(await kit.key(id), {
            suspensionId: suspensions[0]?.id,
            resumeData: { approved: true },
          });
        await kit.settle();
        if ((await kit.row(id)).status === 'completed') break;
        stops += 1;

        const recorded = (await kit.journal(id)).map(({ path }) => path);
        const [models, tools] = effects(whole);
        await kit.restart();
        const rest = await kit.waitUntilIdle(id);
        if (rest.status === 'suspended') await kit.resume(id, { approved: true });
        expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'Paying.\n\nBought.!' });

        const all = (await kit.journal(id)).map(({ path }) => path);
        expect(new Set(all).size).toBe(all.length);
        expect([...whole.keys.values()].every(({ size }) => size === 1)).toBe(true);
        const left = all.filter((path) => !recorded.includes(path));
        const [modelsNow, toolsNow] = effects(whole);
        expect(modelsNow - models, `models after commit ${last}`).toBe(
          left.filter((path) => modelKey.test(path)).length,
        );
        expect(toolsNow - tools, `tools after commit ${last}`).toBe(left.filter((path) => toolKey.test(path)).length);
      }
      expect(stops).toBeGreaterThan(10);
    });
  }

  it('in the middle of a tool, repeats that tool with the same idempotency key', async () => {
    const gate = new Gate();
    let isFirst = true;
    const { kit, keys, ran } = made({
      turns: [{ toolCalls: [call('look', 'l')] }],
      look: async (context) => {
        if (isFirst) {
          isFirst = false;
          await gate.pass(context);
        }
        return 'seen';
      },
    });
    const id = await kit.begin();
    await gate.entered;
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
    expect([ran, keys.get('l')?.size]).toEqual([['l', 'l'], 1]);
    gate.open();
    await kit.settle();
    expect((await kit.row(id)).status).toBe('completed');
  });
});

/** A store whose process dies at a commit: this call and all later ones never return. */
function dyingStore(
  store: ExecutionStore,
  { isWritten, last }: { readonly last: number; readonly isWritten: boolean },
): ExecutionStore {
  let commits = 0;
  const commit = async (one: Commit): ReturnType<ExecutionStore['commit']> => {
    commits += 1;
    if (commits < last) return store.commit(one);
    if (commits === last && isWritten) await store.commit(one);
    return new Promise(() => {});
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'commit') return commit;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
