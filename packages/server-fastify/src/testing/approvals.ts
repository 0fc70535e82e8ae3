import { equal } from 'node:assert/strict';
import { Agent, andAgent, andThen, createTool, createWorkflow } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { gateOf, requestWorkflows } from './workflows.ts';

/** The payments, in order. */
export const paid: number[] = [];

const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({ euros: Type.Number(), gate: Type.Optional(Type.String()) }),
  needsApproval: true,
  execute: async ({ euros, gate }, { signal }) => {
    if (gate !== undefined) await gateOf(gate).pass(signal);
    paid.push(euros);
    return `paid ${euros}`;
  },
});

/**
 * Requests the payments that the user names: `pay 1 2, then 3` requests 1 and 2 together, and then
 * 3.
 */
const act: ScriptedReply = ({ prompt }) => {
  const userMessages = prompt.flatMap(({ content, role }) => (role === 'user' ? content : []));
  const [, list = '', gate] = /pay ([\d ,then]+?)(?: at ([\w-]+))?"/.exec(JSON.stringify(userMessages)) ?? [];
  const results = prompt.filter(({ role }) => role === 'tool');
  const asked = list.split(', then ')[results.length];
  if (asked === undefined || list === '')
    return { text: ['Result: ', JSON.stringify(results.at(-1)?.content ?? userMessages)] };
  const input = (euros: string) => ({ euros: Number(euros), ...(gate !== undefined && { gate }) });
  const toolCalls = asked
    .trim()
    .split(' ')
    .map((euros) => ({ toolName: 'pay', toolCallId: `c${euros}`, input: input(euros) }));
  return { text: ['One moment.'], toolCalls };
};

const cashier = new Agent({ id: 'cashier', model: scriptedModel(act), tools: [pay] });
const boss = new Agent({
  id: 'boss',
  model: scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? 'All done.'
      : { toolCalls: [{ toolName: 'ask_cashier', toolCallId: 'd', input: { task: 'pay 1' } }] },
  ),
  subAgents: [cashier],
});
/** Fails when it should report the payment. */
const clumsy = new Agent({
  id: 'clumsy',
  model: scriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? { error: new RangeError('secret') }
      : { toolCalls: [{ toolName: 'pay', toolCallId: 'c1', input: { euros: 1 } }] },
  ),
  tools: [pay],
});
/** Fails once, in the middle of its text. */
const breakingOnce = (id: string): Agent =>
  new Agent({
    id,
    model: scriptedModel(
      { toolCalls: [{ toolName: 'pay', toolCallId: 'c1', input: { euros: 1 } }] },
      { text: ['We'], error: new RangeError('secret'), failAfterText: true },
      'Well.',
    ),
    tools: [pay],
  });
const stubborn = breakingOnce('stubborn');
const stammerer = breakingOnce('stammerer');
/** Pays without a question when a person has approved later calls. */
const treasurer = new Agent({
  id: 'treasurer',
  model: scriptedModel(act),
  tools: [
    createTool({
      name: 'pay',
      description: '',
      input: Type.Object({ euros: Type.Number() }),
      needsApproval: { always: true },
      execute: ({ euros }) => `paid ${euros}`,
    }),
  ],
});
export const payingAgents = [cashier, boss, clumsy, stubborn, stammerer, treasurer];

const SayInput = Type.Object({ say: Type.String(), gate: Type.Optional(Type.String()) });
const named = (id: string) => ({ id, name: id, purpose: '', input: SayInput });
const buy = (agent: Agent) => ({ id: 'buy', agent, prompt: ({ data }: { data: { say: string } }) => data.say });

const shop = createWorkflow(named('shop')).andAgent(buy(cashier));
export const payingWorkflows = [
  shop,
  createWorkflow(named('office')).andAgent(buy(boss)),
  createWorkflow(named('clumsy')).andAgent(buy(clumsy)),
  createWorkflow(named('stubborn')).andAgent({ ...buy(stubborn), retries: { attempts: 2, delayMs: 1 } }),
  createWorkflow(named('stammering')).andAgent({ ...buy(stammerer), retries: { attempts: 2, delayMs: 1 } }),
  createWorkflow(named('mall')).andWorkflow({ id: 'visit', workflow: shop }),
  /** Two agents in parallel. */
  createWorkflow(named('fair')).andAll({
    id: 'stands',
    steps: ['pay 1', 'pay 2'].map((prompt, index) => andAgent({ id: `stand-${index}`, agent: cashier, prompt })),
  }),
  /** Another step runs in parallel with the agent. */
  createWorkflow(named('busy')).andAll({
    id: 'both',
    steps: [
      andAgent(buy(cashier)),
      andThen({
        id: 'hold',
        execute: ({ data, signal }: { data: { gate?: string }; signal: AbortSignal }) =>
          gateOf(data.gate ?? '').pass(signal),
      }),
    ],
  }),
];

/** A call that waits for an approval. */
export interface Asked {
  readonly approvalId: string;
  readonly signature: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** Starts an execution and returns the calls that wait for an approval. */
export async function startAndAsk(
  origin: string,
  workflow: string,
  say: string,
  options: object = {},
  headers: object = {},
): Promise<{ readonly id: string; readonly asked: readonly Asked[] }> {
  const { data, executionId } = await requestWorkflows(
    origin,
    `/${workflow}/execute`,
    { input: { say }, options },
    headers,
  );
  equal(data['status'], 'suspended');
  return { id: executionId ?? '', asked: askedIn(data) };
}

/** The calls of a result that wait for an approval. */
function askedIn({ suspensions }: Record<string, unknown>): readonly Asked[] {
  return (suspensions as { suspendData: Asked }[]).map(({ suspendData }) => suspendData);
}

/** The message that `useChat` sends with the response of a person. */
export function uiResponse(asked: readonly Asked[], approved = true, reason?: string) {
  return [
    { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'pay' }] },
    {
      id: 'a1',
      role: 'assistant',
      parts: asked.map(({ approvalId, input, signature, toolCallId, toolName }) => ({
        type: `tool-${toolName}`,
        toolCallId,
        input,
        state: 'approval-responded',
        approval: { id: approvalId, signature, approved, ...(reason !== undefined && { reason }) },
      })),
    },
  ];
}

/** The messages of a client without `useChat`. */
export function modelResponse(asked: readonly Asked[], approved = true, reason?: string) {
  return [
    { role: 'user', content: 'pay' },
    {
      role: 'assistant',
      content: asked.map(({ input, toolCallId, toolName }) => ({ type: 'tool-call', toolCallId, toolName, input })),
    },
    {
      role: 'tool',
      content: asked.map(({ approvalId, signature }) => ({
        type: 'tool-approval-response',
        approvalId,
        signature,
        approved,
        ...(reason !== undefined && { reason }),
      })),
    },
  ];
}
