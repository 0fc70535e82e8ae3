import { Agent, createTool } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { json } from './serve.ts';

export const seen: unknown[] = [];
export const signals: AbortSignal[] = [];
const weather = createTool({
  name: 'getWeather',
  description: 'Weather',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }, { context, conversationId, userId }) => {
    seen.push({ city, context, conversationId, userId });
    return { degrees: 21 };
  },
});
const pay = createTool({
  name: 'pay',
  description: 'Pays',
  input: Type.Object({ euros: Type.Number() }),
  needsApproval: true,
  execute: () => 'paid',
});
const waiting = createTool({
  name: 'waiting',
  description: '',
  input: Type.Object({}),
  execute: (_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  },
});

const callsWeather = {
  toolCalls: [{ toolName: 'getWeather', toolCallId: 'c1', input: { city: 'Rome' } }],
  usage: { inputTokens: 1, outputTokens: 2 },
};
export const plain = scriptedModel({
  text: ['Hi ', '"you"'],
  usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1, reasoningTokens: 2 },
});
export const hanging = scriptedModel({ text: ['so far'], hangs: true });
/** Calls the weather tool unless there is a result. */
const asking = scriptedModel(({ prompt }) =>
  prompt.at(-1)?.role === 'tool' ? { text: '21°', usage: { inputTokens: 5, outputTokens: 6 } } : callsWeather,
);
const failing = { message: 'https://provider/?key=secret' };

const helper = new Agent({ id: 'helper', model: scriptedModel('inner') });
export const agents = [
  new Agent({ id: 'plain', model: plain, instructions: 'Own.' }),
  new Agent({ id: 'strict', model: plain, acceptSystemMessages: false }),
  new Agent({ id: 'weather', model: asking, tools: [weather] }),
  new Agent({
    id: 'payer',
    model: scriptedModel({ toolCalls: [{ toolName: 'pay', toolCallId: 'c1', input: { euros: 5 } }] }),
    tools: [pay],
  }),
  new Agent({
    id: 'boss',
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? 'done'
        : { toolCalls: [{ toolName: 'ask_helper', toolCallId: 'c1', input: { task: 'x' } }] },
    ),
    subAgents: [helper],
  }),
  new Agent({ id: 'hanging', model: hanging, onBusy: 'reject' }),
  new Agent({
    id: 'waiting',
    model: scriptedModel({ toolCalls: [{ toolName: 'waiting', input: {} }] }),
    tools: [waiting],
  }),
  new Agent({ id: 'failing', model: scriptedModel({ error: failing }) }),
  new Agent({ id: 'breaking', model: scriptedModel({ text: ['so far'], error: failing, failAfterText: true }) }),
  new Agent({ id: 'object', model: scriptedModel({ text: ['{"name":"A', 'da","age":', '36}'] }) }),
  new Agent({ id: 'scalar', model: scriptedModel('nothing of the kind') }),
];

export async function post(
  origin: string,
  path: string,
  body: unknown,
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${origin}/agents/${path}`, json(body));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export async function answer(origin: string, path: string, body: unknown): Promise<unknown> {
  const { text } = await post(origin, path, body);
  return JSON.parse(text);
}

/** The parsed events of a stream. */
export async function events(origin: string, path: string, body: unknown): Promise<Record<string, unknown>[]> {
  const { text } = await post(origin, path, body);
  const frames = text.split('\n\n').slice(0, -1);
  return frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as Record<string, unknown>);
}

export const usage = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  completionTokens,
  totalTokens: promptTokens + completionTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});
