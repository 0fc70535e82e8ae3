import { Type } from '@sinclair/typebox';
import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import type { AgentOptions } from '../../agent/agent-options.ts';
import { Agent } from '../../agent/agent.ts';
import { scriptedModel, type ScriptedReply } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { ToolContext } from '../../tool/tool.ts';
import { createWorkflow } from '../create-workflow.ts';
import type { FollowedEvent } from '../follow/follow-execution.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { andAgent } from './and-agent.ts';
import { andThen } from './and-then.ts';

const Verdict = Type.Object({ good: Type.Boolean() });
const chain = createWorkflow({ id: 'chain', input: Type.Object({ city: Type.String() }) });
const rome = { city: 'Rome' };

/** An agent with a tool `look`, and the inputs of its calls. */
function looker(options: Partial<AgentOptions>, ...turns: readonly [ScriptedReply, ...ScriptedReply[]]) {
  const model = scriptedModel(...turns);
  const seen: (ToolContext & { readonly at: string })[] = [];
  const look = createTool({
    name: 'look',
    description: 'Looks',
    input: Type.Object({ at: Type.String() }),
    execute: ({ at }, context) => {
      seen.push({ at, ...context });
      return `${at} is fine`;
    },
  });
  return {
    agent: new Agent({ id: 'looker', model, tools: [look], ...options }),
    model,
    seen,
  };
}

const looks = (at: string): ScriptedReply => ({ toolCalls: [{ toolName: 'look', input: { at }, toolCallId: at }] });

/**
 * Follows an execution until it is idle. Lists the events of its agents as `type` or `type tool`.
 */
async function followed(
  kit: WorkflowKit,
  id: string,
  after = 0,
): Promise<{ seqs: number[]; agentEvents: string[]; all: FollowedEvent[] }> {
  const all: FollowedEvent[] = [];
  for await (const event of await kit.runtime.follow(await kit.key(id), after)) all.push(event);
  return {
    all,
    seqs: all.flatMap(({ seq }) => (seq === undefined ? [] : [seq])),
    agentEvents: all.flatMap(({ event }) => (event.type === 'agent-event' ? [describeEvent(event['event'])] : [])),
  };
}

function describeEvent(event: unknown): string {
  const { agentId, toolCallId, type } = event as { type: string; toolCallId?: string; agentId?: string };
  return [agentId, type, toolCallId].filter((word) => word !== undefined).join(' ');
}

describe('prompt and output', () => {
  it('returns the text of the answer', async () => {
    const { agent, model } = looker({}, 'All is well.');
    const workflow = chain.andAgent({ id: 'ask', agent, prompt: ({ data }) => `How is ${data.city}?` });
    expectTypeOf(workflow).toExtend<AnyWorkflow<{ city: string }, string>>();

    expect(await new WorkflowKit(workflow).run(rome)).toMatchObject({ status: 'completed', result: 'All is well.' });
    expect(model.calls[0]?.prompt).toMatchObject([{ content: [{ text: 'How is Rome?' }] }]);
  });

  it('returns an object that fits the schema, after one repair', async () => {
    const { agent, model } = looker({}, 'good', '{"good":true}');
    const workflow = chain
      .andAgent({ id: 'judge', agent, prompt: 'Is it good?', schema: Verdict })
      .andThen({ id: 'read', execute: ({ data }) => data.good });

    expect(await new WorkflowKit(workflow).run(rome)).toMatchObject({ status: 'completed', result: true });
    expect(model.calls).toHaveLength(2);
  });

  it('fails when the object does not fit, and asks the model again in each retry of the step', async () => {
    const { agent, model } = looker({}, 'good', 'very good', 'excellent', '{"good":true}');
    const judge = { id: 'judge', agent, prompt: 'Is it good?', schema: Verdict };
    expect(await new WorkflowKit(chain.andAgent(judge)).run(rome)).toMatchObject({
      status: 'error',
      error: { stepId: 'judge' },
    });
    expect(model.calls).toHaveLength(2);

    const again = looker({}, 'good', 'very good', 'excellent', '{"good":true}');
    const kit = new WorkflowKit(
      chain.andAgent({ ...judge, agent: again.agent, retries: { attempts: 3, delayMs: 100 } }),
    );
    const id = await kit.begin(rome);
    for (let tries = 1; tries < 3; tries += 1) await kit.advance(1_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: { good: true } });
    expect(again.model.calls).toHaveLength(4);
  });

  it('calls the prompt function once, and accepts messages as well as text', async () => {
    const { agent, model } = looker({}, { error: new Error('down') }, 'Fine.');
    let asked = 0;
    const kit = new WorkflowKit(
      chain.andAgent({
        id: 'ask',
        agent,
        prompt: ({ data }) => {
          asked += 1;
          return [{ role: 'user', content: `${data.city} ${asked}` }];
        },
        retries: { attempts: 2 },
      }),
    );
    const id = await kit.begin(rome);
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ result: 'Fine.' });
    expect(asked).toBe(1);
    expect(model.calls[1]?.prompt).toMatchObject([{ content: [{ text: 'Rome 1' }] }]);
  });

  it('passes user, conversation and context of the execution to tools, and settings to the model', async () => {
    const { agent, model, seen } = looker({}, looks('left'), 'Fine.');
    const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent, prompt: 'Look', options: { temperature: 0.3 } }));
    const { executionId } = await kit.run(rome, {
      user: { id: 'ada', role: 'boss' },
      userId: 'ada',
      conversationId: 'talk',
      context: { tenant: 1 },
    });
    expect(seen).toMatchObject([
      { user: { id: 'ada', role: 'boss' }, userId: 'ada', conversationId: 'talk', context: { tenant: 1 } },
    ]);
    expect(seen[0]?.workflow?.executionId).toBe(executionId);
    expect(model.calls[0]?.temperature).toBe(0.3);
  });
});

describe('failures', () => {
  it('ends a step whose agent takes longer than `totalMs`, with tools and with a model that never end', async () => {
    const hang = createTool({
      name: 'hang',
      description: 'Never ends',
      input: Type.Object({}),
      execute: () => new Promise<never>(() => {}),
    });
    for (const reply of [{ hangs: true }, { toolCalls: [{ toolName: 'hang', input: {} }] }] as const) {
      const model = scriptedModel(reply);
      const agent = new Agent({ id: 'slow', model, tools: [hang], timeouts: { totalMs: 5 } });
      const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent, prompt: 'Hi' }));
      expect(await kit.run(rome)).toMatchObject({
        status: 'error',
        error: { message: 'Step "ask" failed: The run took longer than 5 ms', stepId: 'ask' },
      });
      expect(model.calls).toHaveLength(1);
    }
  });

  it('names the step and the agent when the model fails, and hides the message of the provider', async () => {
    const { agent } = looker({}, { error: new Error('key sk-123 is not valid') });
    const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent, prompt: 'Hi' }));
    const { error, executionId, status } = await kit.run(rome);
    expect({ error, status }).toEqual({
      status: 'error',
      error: { message: 'Step "ask" failed: The model of agent "looker" failed', stepId: 'ask', code: 'STEP_FAILED' },
    });
    expect(JSON.stringify(await kit.events(executionId))).not.toContain('sk-123');
    expect(JSON.stringify(await kit.journal(executionId))).not.toContain('sk-123');
  });

  it('continues where it was when it is retried', async () => {
    const { agent, model, seen } = looker({}, looks('left'), { error: new Error('down') }, 'Fine.');
    const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent, prompt: 'Look', retries: { attempts: 2 } }));
    const id = await kit.begin(rome);
    expect(await kit.history(id)).toContain('step-retry ask');
    await kit.advance(1_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'Fine.' });
    expect([model.calls.length, seen.length]).toEqual([3, 1]);
  });

  it('aborts the model when an attempt exceeds its time limit', async () => {
    const { agent, model } = looker({}, { hangs: true }, 'Fine.');
    const kit = new WorkflowKit(
      chain.andAgent({ id: 'ask', agent, prompt: 'Hi', timeoutMs: 5, retries: { attempts: 2, delayMs: 1 } }),
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const id = await kit.begin(rome);
    const result = kit.waitUntilIdle(id);
    await vi.advanceTimersByTimeAsync(5);
    await kit.settle();
    expect(await kit.history(id)).toContain('step-retry ask');
    await kit.advance(10);
    expect(await result).toMatchObject({ status: 'completed', result: 'Fine.' });
    expect(model.abortsSeen).toBe(1);
  });

  it('fails when a guardrail blocks the input or the output', async () => {
    const block = { name: 'never', check: () => ({ action: 'block' as const, reason: 'never' }) };
    for (const options of [{ inputGuardrails: [block] }, { outputGuardrails: [block] }]) {
      const { agent } = looker(options, 'Secret.');
      const { error, executionId, status } = await new WorkflowKit(
        chain.andAgent({ id: 'ask', agent, prompt: 'Hi' }),
      ).run(rome);
      expect([status, error?.stepId, executionId]).toEqual(['error', 'ask', executionId]);
      expect(error?.message).toContain('never');
    }
  });
});

describe('live events', () => {
  it('streams agent events to followers, without sequence numbers', async () => {
    const { agent } = looker({}, looks('left'), { text: ['Fi', 'ne.'] });
    const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent, prompt: 'Look' }));
    const id = await kit.runtime.begin('chain', rome, {});
    const { all, seqs, agentEvents } = await followed(kit, id);
    expect(agentEvents).toEqual([
      'start',
      'start-step',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call left',
      'tool-result left',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    const live = all.filter(({ event }) => event.type === 'agent-event');
    expect(live.every(({ event, seq }) => seq === undefined && event.from === 'ask')).toBe(true);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(JSON.stringify(await kit.events(id))).not.toContain('agent-event');
    expect((await followed(kit, id)).agentEvents).toEqual([]);
  });

  it('streams from the model only while there is a follower', async () => {
    const modes: string[] = [];
    const base = scriptedModel('Fine.');
    const model = {
      ...base,
      doGenerate: (options: Parameters<typeof base.doGenerate>[0]) => {
        modes.push('generate');
        return base.doGenerate(options);
      },
      doStream: (options: Parameters<typeof base.doStream>[0]) => {
        modes.push('stream');
        return base.doStream(options);
      },
    };
    const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent: new Agent({ id: 'a', model }), prompt: 'Hi' }));
    await kit.run(rome);
    await followed(kit, await kit.runtime.begin('chain', rome, {}));
    expect(modes).toEqual(['generate', 'stream']);
  });
});

describe('inside other steps', () => {
  it('runs in parallel branches, each with its own records', async () => {
    const { agent, model } = looker({}, ({ prompt }) => `${JSON.stringify(prompt).match(/Rome|Oslo/)?.[0]}!`);
    const about = (city: string) => andAgent({ id: city, agent, prompt: city });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'all' }).andAll({ id: 'both', steps: [about('Rome'), about('Oslo')] }),
    );
    const { executionId, result } = await kit.run();
    expect(result).toEqual(['Rome!', 'Oslo!']);
    expect(model.calls).toHaveLength(2);
    expect((await kit.journal(executionId)).map(({ path }) => path)).toEqual(
      expect.arrayContaining(['both/Rome#step-0/model', 'both/Oslo#step-0/model']),
    );
  });

  it('runs for each item of a list', async () => {
    const { agent } = looker({}, ({ prompt }) => `${JSON.stringify(prompt).match(/Rome|Oslo/)?.[0]}!`);
    const kit = new WorkflowKit(
      createWorkflow({ id: 'each', input: Type.Array(Type.String()) }).andForEach({
        id: 'cities',
        step: andAgent({ id: 'ask', agent, prompt: ({ data }) => data }),
      }),
    );
    const { executionId, result } = await kit.run(['Rome', 'Oslo']);
    expect(result).toEqual(['Rome!', 'Oslo!']);
    expect((await kit.journal(executionId)).map(({ path }) => path)).toContain('cities:1/ask#step-0/model');
  });

  it('is aborted when another step wins the race', async () => {
    const { agent, model } = looker({}, { hangs: true });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'race' }).andRace({
        id: 'first',
        steps: [
          andAgent({ id: 'slow', agent, prompt: 'Hi' }),
          andThen({
            id: 'quick',
            execute: async () => {
              while (model.calls.length === 0) await new Promise(setImmediate);
              return 'quick';
            },
          }),
        ],
      }),
    );
    const { executionId, result } = await kit.run();
    await kit.settle();
    expect([result, model.abortsSeen]).toEqual(['quick', 1]);
    expect((await kit.journal(executionId)).map(({ path }) => path)).toEqual([
      'first/slow#run',
      'first/quick',
      'first',
    ]);
  });
});

describe('from outside', () => {
  it('stops the model when the execution is cancelled', async () => {
    const { agent, model } = looker({}, { text: ['so', 'far'], hangs: true });
    const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent, prompt: 'Hi' }));
    const id = await kit.runtime.begin('chain', rome, {});
    const following = followed(kit, id);
    await kit.settle();
    expect(await kit.cancel(id)).toMatchObject({ status: 'cancelled' });
    expect(model.abortsSeen).toBe(1);
    expect((await following).agentEvents).toContain('text-delta');
  });

  it('aborts the model when the execution is suspended, and repeats only that call', async () => {
    const { agent, model, seen } = looker({}, looks('left'), { text: ['so'], hangs: true }, 'Fine.');
    const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent, prompt: 'Look' }));
    const id = await kit.begin(rome);
    expect(await kit.suspend(id)).toMatchObject({ status: 'suspended', suspensions: [{ kind: 'request' }] });
    expect(model.abortsSeen).toBe(1);
    expect(await kit.resume(id)).toMatchObject({ status: 'completed', result: 'Fine.' });
    expect([model.calls.length, seen.length]).toEqual([3, 1]);
    expect(model.calls[2]?.prompt).toEqual(model.calls[1]?.prompt);
  });
});

it('leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { agent } = looker({}, looks('left'), 'Fine.');
  const kit = new WorkflowKit(chain.andAgent({ id: 'ask', agent, prompt: 'Look', timeoutMs: 60_000 }));
  await followed(kit, await kit.runtime.begin('chain', rome, {}));
  await kit.runtime.stop(0);
  expect(vi.getTimerCount()).toBe(0);
});
