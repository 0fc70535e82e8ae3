import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { Agent, type AgentEvent, type AgentOptions, createMemory, createTool } from '@halyard/core';
import { toUiChunks } from '@halyard/core/server';
import { collectEvents, scriptedModel, silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { providers } from '../parity/providers.ts';
import type { ReplyScript, FaultScript, RecordedRequest } from '../wire/index.ts';
import {
  anthropicRefusal,
  bedrockRefusal,
  chatRefusal,
  googleRefusal,
  type Refusal,
  responsesRefusal,
} from './refusals.ts';

/**
 * Each kind of answer that a model can give, on each API, cut in each place: the conversation
 * continues.
 */
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
} as const satisfies Record<string, ReplyScript>;

const cuts: Readonly<Record<string, FaultScript | undefined>> = {
  'that is whole': undefined,
  'that fails before a chunk': { kind: 'error-event', afterChunks: 0 },
  'that fails after a chunk': { kind: 'error-event', afterChunks: 1 },
  'that fails after two chunks': { kind: 'error-event', afterChunks: 2 },
  'that fails before its end': { kind: 'error-event' },
  'whose connection breaks': { kind: 'destroy' },
  'whose connection breaks at its very end': { kind: 'destroy', afterChunks: 'end' },
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

/**
 * @param isAsked whether a conversation is tried, by the positions of its API, reply and cut.
 * Default: each is.
 */
export function describeCutReplies(isAsked: (api: number, reply: number, cut: number) => boolean = () => true): void {
  describe.each(Object.keys(apis).map((api, index) => ({ api, index })))('on $api', ({ api, index }) => {
    let opened: OpenedApi;
    beforeAll(async () => {
      opened = await open(api);
    });
    afterAll(() => opened.close());

    describe.each(Object.entries(answers).map(([name, script], answer) => ({ name, script, answer })))(
      'an answer of $name',
      ({ answer, script }) => {
        const asked = Object.entries(cuts).filter((_, cut) => isAsked(index, answer, cut));
        it.each(asked)('%s', async (_cut, fault) => {
          expect(await goOn(opened, { ...script, ...(fault && { fault }) })).toEqual({
            failed: [],
            refused: [],
          });
        });
      },
    );
  });
}

/** How many APIs there are. */
export const apiCount = Object.keys(apis).length;

type OpenedApi = Awaited<ReturnType<typeof open>>;

/**
 * The server of an API, and the agents that ask its model. The conversations share them: to open
 * some for each takes longer than to answer.
 */
async function open(api: string) {
  const { name, refusal } = apis[api] ?? expect.fail(api);
  const { model, open: openWire, providerOptions } = providers[name];
  const wire = await openWire();
  const fallbacks = await Promise.all(
    (['Anthropic', 'Bedrock'] as const).map(async (of) => ({ of, wire: await providers[of].open() })),
  );
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
  const down = scriptedModel({ error: new Error('down') });
  /** The requests whose answers were completed. */
  const kept = new Set<string>();
  return {
    api,
    wire,
    memory,
    kept,
    refusal: refusal(kept),
    agent: agentWith({}),
    forgetful: agentWith({ memory: false }),
    summarising: agentWith({ compaction: { afterTokens: 200, keep: 1 } }),
    fallbacks: fallbacks.map(({ of, wire: other }) => ({
      of,
      wire: other,
      refusal: of === 'Anthropic' ? anthropicRefusal : bedrockRefusal,
      agent: agentWith({ model: [down, providers[of].model(other.baseURL)], tools: [look] }),
    })),
    close: () => Promise.all([wire, ...fallbacks.map((fallback) => fallback.wire)].map((each) => each.close())),
  };
}

/**
 * More questions after the first answer: everything that `useChat` has received, and everything
 * that is stored, sent to an agent without a memory; the new message alone; everything that is
 * stored, as `useChat` sends it after a reload; a question that is answered again; questions that
 * fallback models of other providers answer; and one before which all that was said is summarised.
 *
 * @returns answers that are not the expected one, and why requests were refused.
 */
async function goOn(
  { agent, api, fallbacks, forgetful, kept, memory, refusal, summarising, wire }: OpenedApi,
  script: ReplyScript,
): Promise<{ readonly failed: readonly string[]; readonly refused: readonly string[] }> {
  const refused: string[] = [];
  const answer = (refuse: Refusal) => (request: RecordedRequest) => {
    const why = refuse(request);
    if (why === undefined) return { text: 'Fine.' };
    refused.push(why);
    return { status: 400, message: why };
  };
  const number = wire.requests.length + 1;
  wire.reply(script);
  wire.replyAlways((request) => {
    const reply = answer(refusal)(request);
    if ('text' in reply) kept.add(String(request.number));
    return reply;
  });
  if (script.fault === undefined) kept.add(String(number));

  const conversationId = `k${number}`;
  const options = { userId: 'u', conversationId, services: { logger: silentLogger } };
  const question = (id: string): UIMessage => ({
    id: `${conversationId}-${id}`,
    role: 'user',
    parts: [{ type: 'text', text: `Question ${id} `.padEnd(400, '.') }],
  });
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
    const { messages } = await memory.messages({ user: 'u' }, conversationId, { limit: 100 });
    return messages as readonly UIMessage[];
  };

  const stop = new AbortController();
  const last = script.fault?.kind === 'hang' ? lastEvent(api, script) : 'none';
  const first = await agent.streamText([question('1')], { ...options, signal: stop.signal });
  await wire.request(number - 1);
  if (last === undefined) stop.abort();
  const events: AgentEvent[] = [];
  for await (const event of first) {
    events.push(event);
    if (event.type === last) stop.abort();
  }
  await first.result.catch(() => {});

  // All parts have ended for the client: it cannot know that OpenAI has not kept them.
  const isUnknownCut = api === 'Responses' && script.fault?.afterChunks === 'end';
  if (!isUnknownCut) await ask('received', [question('1'), ...(await received(events))], forgetful);
  await ask('reloaded', await stored(), forgetful);
  await ask('2');
  await ask('3', await stored());
  await ask('3', [], agent, { resend: 'regenerate' });
  for (const fallback of fallbacks) {
    fallback.wire.replyAlways(answer(fallback.refusal));
    await ask(fallback.of, [], fallback.agent);
  }
  await ask('summarised', await stored(), summarising);
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

/** The last kind of event before the stream hangs; undefined when there is none. */
function lastEvent(api: string, { reasoning, text, toolCalls }: ReplyScript): string | undefined {
  if (toolCalls !== undefined) return 'tool-input-start';
  if (text !== undefined && String(text).trim() !== '') return 'text-delta';
  return reasoning !== undefined && api !== 'chat completions' ? 'reasoning-delta' : undefined;
}
