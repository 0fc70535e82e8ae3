import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { Agent, type AgentInput, type AgentOptions, createMemory, createTool } from '@halyard/core';
import { collectEvents, scriptedModel, silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { providers } from '../parity/providers.ts';
import type { AnswerScript, FaultScript, RecordedRequest } from '../wire/index.ts';
import { anthropicRefusal, chatRefusal, googleRefusal, type Refusal, responsesRefusal } from './refusals.ts';

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

/** Two more questions, the second one also answered again, and one that a fallback model of Anthropic answers. @returns answers that are not the expected one, and why requests were refused. */
async function goOn(
  api: string,
  script: AnswerScript,
): Promise<{ readonly failed: readonly string[]; readonly refused: readonly string[] }> {
  const { name, refusal } = apis[api] ?? expect.fail(api);
  const { model, open, providerOptions } = providers[name];
  await using wire = await open();
  const kept = new Set<string>();
  const refuse = refusal(kept);
  const refused: string[] = [];
  const answer = (request: RecordedRequest): AnswerScript | { readonly status: number; readonly message: string } => {
    const why = refuse(request);
    if (why === undefined) {
      kept.add(String(request.number));
      return { text: 'Fine.' };
    }
    refused.push(why);
    return { status: 400, message: why };
  };
  wire.reply(script);
  wire.replyAlways(answer);
  if (script.fault === undefined) kept.add('1');

  const memory = createMemory({ titles: false });
  const agentOn = (models: AgentOptions['model'], tools: readonly ProviderTool[] = []) =>
    new Agent({
      id: 'a',
      model: models,
      memory,
      tools: [look, ...tools],
      generation: { ...unset, providerOptions },
      retries: { maxRetries: 0 },
    });
  const agent = agentOn(model(wire.baseURL), providerTools[api]);
  const options = { userId: 'u', conversationId: 'k', services: { logger: silentLogger } };
  const ask = async (id: string, more: object = {}, asked = agent): Promise<string> => {
    const stream = await asked.streamText(question(id), { ...options, ...more });
    await collectEvents(stream);
    return stream.result.then(
      ({ text }) => text,
      () => 'failed',
    );
  };

  const stop = new AbortController();
  const last = script.fault?.kind === 'hang' ? lastEvent(api, script) : 'none';
  const first = await agent.streamText(question('1'), { ...options, signal: stop.signal });
  await wire.request(0);
  if (last === undefined) stop.abort();
  for await (const { type } of first) if (type === last) stop.abort();
  await first.result.catch(() => {});

  const texts = [await ask('2'), await ask('3'), await ask('3', { resend: 'regenerate' })];
  // The answers of one provider, in a prompt for another one.
  await using other = await providers.Anthropic.open();
  other.replyAlways((request) => {
    const why = anthropicRefusal(request);
    if (why !== undefined) refused.push(why);
    return why === undefined ? { text: 'Fine.' } : { status: 400, message: why };
  });
  const down = scriptedModel({ error: new Error('down') });
  // The package of Anthropic cannot read a whole search of OpenAI.
  const isForeignSearch = api === 'Responses' && script.webSearch !== undefined && script.fault === undefined;
  if (!isForeignSearch) texts.push(await ask('4', {}, agentOn([down, providers.Anthropic.model(other.baseURL)])));
  return { failed: texts.filter((text) => text !== 'Fine.'), refused };
}

const question = (id: string): AgentInput => [{ id, role: 'user', parts: [{ type: 'text', text: `Question ${id}` }] }];

/** The last kind of event before the stream hangs; undefined when there is none. */
function lastEvent(api: string, { reasoning, text, toolCalls }: AnswerScript): string | undefined {
  if (toolCalls !== undefined) return 'tool-input-start';
  if (text !== undefined && String(text).trim() !== '') return 'text-delta';
  return reasoning !== undefined && api !== 'chat completions' ? 'reasoning-delta' : undefined;
}
