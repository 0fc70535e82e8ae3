import { Type } from '@sinclair/typebox';
import { afterEach, expect, it, vi } from 'vitest';
import { scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import { Agent } from '../agent.ts';

const callsTool = (toolName: string) => ({
  toolCalls: [{ toolName, input: toolName.startsWith('ask') ? { task: 'x' } : {} }],
});
const services = { logger: silentLogger };
afterEach(() => vi.useRealTimers());

/** An agent whose tool runs the agent itself, and the errors that its models have seen. */
function selfCalling(maxDepth?: number) {
  const errors: string[] = [];
  const model = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1);
    if (last?.role !== 'tool') return callsTool('again');
    const [result] = last.content;
    if (result?.type === 'tool-result' && result.output.type === 'error-text') errors.push(result.output.value);
    return 'done';
  });
  const again = createTool({
    name: 'again',
    description: '',
    input: Type.Object({}),
    execute: async (): Promise<string> => (await agent.generateText('x', { services })).text,
  });
  const agent: Agent = new Agent({ id: 'a', model, tools: [again], ...(maxDepth !== undefined && { maxDepth }) });
  return { agent, errors, model };
}

it.each([
  [undefined, 8],
  [3, 3],
  [1, 1],
])('refuses an agent that calls itself in its tool: maxDepth %s', async (maxDepth, depth) => {
  const { agent, errors, model } = selfCalling(maxDepth);
  expect((await agent.generateText('x', { services })).text).toBe('done');
  expect(model.calls).toHaveLength(2 * depth);
  const path = Array(depth + 1)
    .fill('a')
    .join(' → ');
  expect(errors).toEqual([`Agents call each other at most ${depth} deep (maxDepth of "a"): ${path}`]);
});

it('counts sub-agents and agents in tools together, and runs beside each other not at all', async () => {
  const { agent: inner, errors } = selfCalling(3);
  const callsInner = scriptedModel(({ prompt }) => (prompt.at(-1)?.role === 'tool' ? 'done' : callsTool('ask_a')));
  const outer = new Agent({ id: 'outer', model: callsInner, subAgents: [inner] });
  await Promise.all([outer.generateText('x', { services }), outer.generateText('x', { services })]);
  const error = 'Agents call each other at most 3 deep (maxDepth of "a"): outer → a → a → a';
  expect(errors).toEqual([error, error]);
});

it.each([0, 1.5, 65])('refuses maxDepth %s', (maxDepth) => {
  expect(() => selfCalling(maxDepth)).toThrow('maxDepth of agent "a" must be an integer from 1 to 64');
});

it('does not count the time in which a run waits for a person', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const model = scriptedModel(callsTool('pay'));
  const pay = createTool({
    name: 'pay',
    description: '',
    input: Type.Object({}),
    needsApproval: true,
    execute: () => 'paid',
  });
  const agent = new Agent({ id: 'a', model, tools: [pay] });
  const { finishReason } = await agent.generateText('Pay', { services });
  expect(finishReason).toBe('tool-calls');
  // The run has ended, and its limits with it: the reply to the approval is another run.
  expect(vi.getTimerCount()).toBe(0);
});
