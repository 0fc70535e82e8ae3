import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import {
  Agent,
  type AgentEvent,
  type AgentInput,
  type AgentOptions,
  createMemory,
  createTool,
  toUiChunks,
} from '@halyard/core';
import { collectEvents, scriptedModel, silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, describe, expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { providers } from '../parity/providers.ts';
import type { AnswerScript, FaultScript, RecordedRequest } from '../wire/index.ts';
import {
  anthropicRefusal,
  bedrockRefusal,
  chatRefusal,
  googleRefusal,
  type Refusal,
  responsesRefusal,
} from './refusals.ts';

/** Each kind of answer that a model can give, on each API, cut in each place: the conversation continues. */
const answers = {
  nothing: {},
  text: { text: ['Half of', ' it'] },
  'a blank text': { text: ['\n\n'] },
  reasoning: { reasoning: ['Hm', 'Then'] },
  'reasoning and a text': { reasoning: ['Hm'], text: ['Half of', ' it'] },
  'reasoning and a blank text': { reasoning: ['Hm'], text: ['\n\n'] },
  'a tool call': { toolCalls: [{ name: 'look', input: { city: 'Oslo' } }] },
  'reasoning, a blank text and a tool call': {
    reasoning: ['Hm'],
    text: ['\n\n'],
    toolCalls: [{ name: 'look', input: { city: 'Oslo' } }],
  },
  'a web search and a text': { webSearch: { query: 'Oslo', results: [] }, text: ['Half of', ' it'] },
  'a web search without a result': {
    reasoning: ['Hm'],
    webSearch: { query: 'Oslo', results: [], noResult: true },
    text: ['Half of'],
  },
} as const satisfies Record<string, AnswerScript>;

const cuts: Readonly<Record<string, FaultScript | undefined>> = {
  'that is whole': undefined,
  'that fails before a chunk': { kind: 'error-event', afterChunks: 0 },
  'that fails after a chunk': { kind: 'error-event', afterChunks: 1 },
  'that fails after two chunks': { kind: 'error-event', afterChunks: 2 },
  'that fails before its end': { kind: 'error-event' },
  'whose connection breaks': { kind: 'destroy' },
  'that is stopped': { kind: 'hang' },
};

const apis: Readonly<
  Record<string, { readonly name: keyof typeof providers; refusal: (kept: ReadonlySet<string>) => Refusal }>
> = {
  Anthropic: { name: 'Anthropic', refusal: () => anthropicRefusal },
  Responses: { name: 'OpenAI Responses, stored', refusal: responsesRefusal },
  'chat completions': { name: 'OpenAI Chat', refusal: () => chatRefusal },
  'compatible APIs': { name: 'OpenAI-compatible', refusal: () => chatRefusal },
  Google: { name: 'Google', refusal: () => googleRefusal },
  Bedrock: { name: 'Bedrock', refusal: () => bedrockRefusal },
};

const look = createTool({
  name: 'look',
  description: 'Looks',
  input: Type.Object({ city: Type.String() }),
  execute: () => 'Rain',
});

type ProviderTool = ReturnType<typeof openai.tools.webSearch>;

const providerTools = {
  Anthropic: [anthropic.tools.webSearch_20250305({})],
  Responses: [openai.tools.webSearch({})],
} as Readonly<Record<string, readonly ProviderTool[]>>;

describe.each(Object.keys(apis))('on %s', (api) => {
  describe.each(Object.entries(answers))('an answer of %s', (_answer, script) => {
    it.each(Object.entries(cuts))('%s', async (_cut, fault) => {
      expect(await goOn(api, { ...script, ...(fault && { fault }) })).toEqual({
        failed: [],
        refused: [],
      });
    });
  });
});

/** Whose models continue conversations that others began. */
const fallbacks = [
  { name: 'Anthropic', refusal: anthropicRefusal, wire: await providers.Anthropic.open() },
  { name: 'Bedrock', refusal: bedrockRefusal, wire: await providers.Bedrock.open() },
] as const;
afterAll(() => Promise.all(fallbacks.map(({ wire }) => wire.close())));

/**
 * More questions after the first answer: the new message alone; everything that is stored, as `useChat` sends it after a reload, to an agent with the memory and to one
 * without; everything that `useChat` has received, to one without; one that is answered again; some that fallback models of other providers answer; and one before which
 * all that was said is summarised.
 *
 * @returns answers that are not the expected one, and why requests were refused.
 */
async function goOn(
  api: string,
  script: AnswerScript,
): Promise<{ readonly failed: readonly string[]; readonly refused: readonly string[] }> {
  const { name, refusal } = apis[api] ?? expect.fail(api);
  const { model, open, providerOptions } = providers[name];
  await using wire = await open();
  const kept = new Set<string>();
  const refused: string[] = [];
  const answer = (refuse: Refusal) => (request: RecordedRequest) => {
    const why = refuse(request);
    if (why === undefined) {
      kept.add(String(request.number));
      return { text: 'Fine.' };
    }
    refused.push(why);
    return { status: 400, message: why };
  };
  wire.reply(script);
  wire.replyAlways(answer(refusal(kept)));
  if (script.fault === undefined) kept.add('1');

  const memory = createMemory({ titles: false });
  const agentWith = (more: Partial<AgentOptions>) =>
    new Agent({
      id: 'a',
      model: model(wire.baseURL),
      memory,
      tools: [look, ...(providerTools[api] ?? [])],
      generation: { ...unset, providerOptions },
      retries: { maxRetries: 0 },
      ...more,
    });
  const agent = agentWith({});
  const options = { userId: 'u', conversationId: 'k', services: { logger: silentLogger } };
  const failed: string[] = [];
  const ask = async (id: string, before: readonly UIMessage[] = [], asked = agent, more: object = {}) => {
    // As the client sends it.
    const input: UIMessage[] = JSON.parse(JSON.stringify([...before, question(id)]));
    const stream = await asked.streamText(input, { ...options, ...more });
    await collectEvents(stream);
    const text = await stream.result.then(
      (result) => result.text,
      (error: unknown) => String(error),
    );
    if (text !== 'Fine.') failed.push(`${id}: ${text}`);
  };
  const stored = async (): Promise<readonly UIMessage[]> => {
    const { messages } = await memory.messages({ user: 'u' }, 'k', { limit: 100 });
    return messages as readonly UIMessage[];
  };

  const stop = new AbortController();
  const last = script.fault?.kind === 'hang' ? lastEvent(api, script) : 'none';
  const first = await agent.streamText([question('1')], { ...options, signal: stop.signal });
  await wire.request(0);
  if (last === undefined) stop.abort();
  const events: AgentEvent[] = [];
  for await (const event of first) {
    events.push(event);
    if (event.type === last) stop.abort();
  }
  await first.result.catch(() => {});

  const forgetful = agentWith({ memory: false });
  await ask('received', [question('1'), ...(await received(events))], forgetful);
  await ask('reloaded', await stored(), forgetful);
  await ask('2');
  await ask('3', await stored());
  await ask('3', [], agent, { resend: 'regenerate' });
  for (const { name: other, refusal: refuse, wire: place } of fallbacks) {
    // The package of Anthropic cannot read a whole search of OpenAI.
    if (other === 'Anthropic' && api === 'Responses' && script.webSearch !== undefined && script.fault === undefined)
      continue;
    place.replyAlways(answer(refuse));
    const models = [scriptedModel({ error: new Error('down') }), providers[other].model(place.baseURL)] as const;
    await ask(other, [], agentWith({ model: models, tools: [look] }));
  }
  await ask('summarised', await stored(), agentWith({ compaction: { afterTokens: 200, keep: 1 } }));
  if (!(await stored()).some(({ role }) => role === 'system')) failed.push('no summary');
  return { failed, refused };
}

/** The answer that `useChat` has after this stream. */
async function received(events: readonly AgentEvent[]): Promise<readonly UIMessage[]> {
  const chunks = events.flatMap((event) => toUiChunks(event, 'm1'));
  let message: UIMessage | undefined;
  const stream = ReadableStream.from(chunks);
  for await (const state of readUIMessageStream({ stream, onError: () => {} })) message = state;
  return message === undefined ? [] : [message];
}

const question = (id: string): UIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text: `Question ${id} `.padEnd(400, '.') }],
});

/** The last kind of event before the stream hangs; undefined when there is none. */
function lastEvent(api: string, { reasoning, text, toolCalls }: AnswerScript): string | undefined {
  if (toolCalls !== undefined) return 'tool-input-start';
  if (text !== undefined && String(text).trim() !== '') return 'text-delta';
  return reasoning !== undefined && api !== 'chat completions' ? 'reasoning-delta' : undefined;
}
