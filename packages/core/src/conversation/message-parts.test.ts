import type { MessagePart } from '@halyard/contracts';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { replayMessage } from '../chat/stream/replay-message.ts';
import { toStreamEvent } from '../chat/to-stream-event.ts';
import { toUiChunks } from '../chat/to-ui-chunks.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import type { InputUIMessage } from '../model/messages/message.ts';
import type { ModelPart } from '../model/providers/model-port.ts';
import { collectEvents, scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const itemId = (id: string) => ({ openai: { itemId: id } });
const image = { mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } } as const;
const search = { toolCallId: 's', toolName: 'web_search', providerExecuted: true } as const;
const roll = { toolCallId: 'm', toolName: 'mcp.roll', providerExecuted: true, dynamic: true } as const;
const fetched = { toolCallId: 'f', toolName: 'web_fetch', providerExecuted: true } as const;

const page = { type: 'source', sourceType: 'url', id: 'p', url: 'https://example.com/dice' } as const;

/** The parts that providers send besides texts, reasoning and calls of the agent's own tools. */
const parts: ModelPart[] = [
  { type: 'custom', kind: 'openai.compaction', providerMetadata: itemId('cmp') },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'A sketch.' },
  { type: 'reasoning-end', id: 'r' },
  { type: 'reasoning-file', ...image, providerMetadata: itemId('rf') },
  { type: 'tool-input-start', id: 's', toolName: 'web_search', providerExecuted: true, providerMetadata: itemId('s0') },
  { type: 'tool-input-delta', id: 's', delta: '{}', providerMetadata: itemId('s1') },
  { type: 'tool-input-end', id: 's', providerMetadata: itemId('s2') },
  { type: 'tool-call', ...search, input: '{}', providerMetadata: itemId('s3') },
  { type: 'tool-result', ...search, result: { partial: true }, preliminary: true },
  { type: 'tool-result', ...search, result: { found: 2 }, providerMetadata: itemId('s4') },
  { type: 'tool-input-start', id: 'm', toolName: 'mcp.roll', providerExecuted: true, title: 'Dice' },
  { type: 'tool-call', ...roll, input: '{"sides":6}', providerMetadata: itemId('m1') },
  { type: 'tool-result', ...roll, result: '4', providerMetadata: itemId('m2') },
  { type: 'tool-call', ...fetched, input: '{"url":"x"}' },
  { type: 'tool-result', ...fetched, result: { errorCode: 'url_not_allowed' }, isError: true },
  { type: 'file', ...image, providerMetadata: itemId('file') },
  { type: 'text-start', id: 'x' },
  { type: 'text-delta', id: 'x', delta: 'Four.' },
  { type: 'text-end', id: 'x', citations: [{ source: page, startIndex: 0, endIndex: 4, citedText: '4' }] },
  {
    type: 'source',
    sourceType: 'url',
    id: 'u',
    url: 'https://example.com/',
    title: 'Page',
    providerMetadata: itemId('url'),
  },
  {
    type: 'source',
    sourceType: 'document',
    id: 'd',
    mediaType: 'application/pdf',
    title: 'Report',
    filename: 'report.pdf',
    providerMetadata: itemId('doc'),
  },
];

const look = createTool({
  name: 'look',
  title: 'Looks around',
  description: 'Looks',
  input: { type: 'object', properties: {} },
  execute: () => 'seen',
});
const options = { tools: [look, providerTool('web_search'), providerTool('web_fetch')] };

function providerTool(name: string) {
  return { type: 'provider', id: `openai.${name}`, args: {}, isProviderExecuted: true } as const;
}

const calls = {
  toolCalls: [
    { toolName: 'look', input: {}, toolCallId: 'l' },
    { toolName: 'teleport', input: {}, toolCallId: 't' },
  ],
};

it('streams, stores and replays every part alike', async () => {
  const { agent, options: run, stored } = agentWithMemory([{ parts, ...calls }, 'Done.'], options);

  const events = await collectEvents(await agent.streamText('Draw', run));

  const [, answer] = await stored();
  const message = await read(events.flatMap((event) => toUiChunks(event, answer?.id ?? '')));
  expect(message?.parts).toEqual(answer?.parts.map(asDone));
  expect(answer?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-look', title: 'Looks around', output: 'seen' },
    { type: 'dynamic-tool', toolName: 'teleport', state: 'output-error' },
    { type: 'custom', kind: 'openai.compaction', providerMetadata: itemId('cmp') },
    { type: 'reasoning', text: 'A sketch.' },
    { type: 'reasoning-file', url: 'data:image/png;base64,AAAA', providerMetadata: itemId('rf') },
    {
      type: 'tool-web_search',
      providerExecuted: true,
      output: { found: 2 },
      callProviderMetadata: itemId('s3'),
      resultProviderMetadata: itemId('s4'),
    },
    {
      type: 'dynamic-tool',
      toolName: 'mcp.roll',
      title: 'Dice',
      providerExecuted: true,
      input: { sides: 6 },
      output: '4',
      callProviderMetadata: itemId('m1'),
      resultProviderMetadata: itemId('m2'),
    },
    { type: 'tool-web_fetch', state: 'output-error', errorText: '{"errorCode":"url_not_allowed"}' },
    { type: 'file', url: 'data:image/png;base64,AAAA', providerMetadata: itemId('file') },
    { type: 'text', text: 'Four.', citations: [{ source: page, citedText: '4' }] },
    { type: 'source-url', url: 'https://example.com/', providerMetadata: itemId('url') },
    { type: 'source-document', filename: 'report.pdf', providerMetadata: itemId('doc') },
    { type: 'step-start' },
    { type: 'text', text: 'Done.' },
  ]);
  expect(await read(replayMessage(message ?? { id: '', parts: [] }))).toEqual(message);
});

it('emits the same parts when the question arrives again', async () => {
  const { agent, options: run, stored } = agentWithMemory([{ parts, ...calls }, 'Done.'], options);
  await collectEvents(await agent.streamText('Draw', run));
  const [question, answer] = await stored();

  const events = await collectEvents(await agent.streamText([question as InputUIMessage], run));

  const message = await read(events.flatMap((event) => toUiChunks(event, answer?.id ?? '')));
  expect(message?.parts.map((part) => withoutId(asDone(part as MessagePart)))).toEqual(
    answer?.parts.map((part) => withoutId(asDone(part))),
  );
});

it('sends the parts back in the next step and in the next turn', async () => {
  const { agent, model, options: run } = agentWithMemory([{ parts, ...calls }, 'Done.', 'Welcome.'], options);

  await collectEvents(await agent.streamText('Draw', run));
  await agent.generateText('Thanks', run);

  const [, nextStep, nextTurn] = model.calls.map(({ prompt }) =>
    prompt.flatMap((message) => (message.role === 'assistant' ? message.content : [])),
  );
  const file = { mediaType: 'image/png', data: { type: 'data' } };
  for (const answer of [nextStep, nextTurn])
    expect(answer?.slice(0, 13).filter((part) => !isCall(part))).toMatchObject([
      { type: 'custom', kind: 'openai.compaction', providerOptions: itemId('cmp') },
      { type: 'reasoning', text: 'A sketch.' },
      { type: 'reasoning-file', ...file, providerOptions: itemId('rf') },
      { toolCallId: 's', providerExecuted: true, providerOptions: itemId('s3') },
      { toolCallId: 's', output: { type: 'json', value: { found: 2 } }, providerOptions: itemId('s4') },
      { toolCallId: 'm', providerExecuted: true, providerOptions: itemId('m1') },
      { toolCallId: 'm', output: { type: 'text', value: '4' }, providerOptions: itemId('m2') },
      { toolCallId: 'f', providerExecuted: true },
      { toolCallId: 'f', output: { type: 'error-json' } },
      { type: 'file', ...file, providerOptions: itemId('file') },
      { type: 'text', text: 'Four.' },
    ]);
});

it('emits the marks of a call with each of its events', async () => {
  const agent = new Agent({ id: 'a', model: scriptedModel({ parts, ...calls }, 'Done.'), ...options });

  const events = await collectEvents(await agent.streamText('Draw', { services: { logger: silentLogger } }));

  const about = (id: string) => events.filter((event) => ('id' in event ? event.id : readId(event)) === id);
  expect(about('s').map(({ type, ...event }) => [type, 'providerMetadata' in event && event.providerMetadata])).toEqual(
    [
      ['tool-input-start', itemId('s0')],
      ['tool-input-delta', itemId('s1')],
      ['tool-input-end', itemId('s2')],
      ['tool-call', itemId('s3')],
      ['tool-result', false],
      ['tool-result', itemId('s4')],
    ],
  );
  expect(about('s')[0]).toMatchObject({ providerExecuted: true });
  for (const event of about('m')) expect(event).toMatchObject({ providerExecuted: true, dynamic: true });
  for (const event of [about('l')[0], about('l')[3]]) expect(event).toMatchObject({ title: 'Looks around' });
  expect(about('t').map((event) => 'dynamic' in event && event.dynamic)).toEqual([true, false, false, true, true]);
});

it('has only events of the HTTP contract in raw streams', () => {
  const kinds = {
    custom: { kind: 'openai.compaction' },
    file: { mediaType: 'image/png', url: 'data:image/png,' },
  } as const;

  expect(toStreamEvent({ type: 'custom', ...kinds.custom })).toBeUndefined();
  expect(toStreamEvent({ type: 'reasoning-file', ...kinds.file })).toEqual({ type: 'file', ...kinds.file });
  expect(toUiChunks({ type: 'custom', ...kinds.custom, agentId: 'b' }, 'm')).toEqual([]);
});

it('emits no reasoning file, no content of the provider and no citations past an output guardrail', async () => {
  const outputGuardrails = [{ name: 'allow', check: () => ({ action: 'allow' as const }) }];
  const agent = new Agent({ id: 'a', model: scriptedModel({ parts }), ...options, outputGuardrails });

  const events = await collectEvents(await agent.streamText('Draw'));

  expect(events.filter(({ type }) => type === 'custom' || type === 'reasoning-file')).toEqual([]);
  expect(events.filter((event) => 'citations' in event)).toEqual([]);
});

/** The message that a client of the AI SDK builds, as JSON. */
async function read(chunks: readonly UIMessageChunk[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const stream = ReadableStream.from(chunks);
  for await (const state of readUIMessageStream<UIMessage>({ stream, terminateOnError: true })) last = state;
  return last && (JSON.parse(JSON.stringify(last)) as UIMessage);
}

function asDone(part: MessagePart): object {
  const shown = Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    if (!key.toLowerCase().endsWith('providermetadata')) return [[key, value]];
    // Which model has written it is only stored.
    const { halyard: _, ...metadata } = value as Record<string, unknown>;
    return Object.keys(metadata).length === 0 ? [] : [[key, metadata]];
  });
  const isText = part.type === 'text' || part.type === 'reasoning';
  return { ...(Object.fromEntries(shown) as object), ...(isText && { state: 'done' }) };
}

/** Blocks have new ids in each stream. */
function withoutId(part: object): object {
  return { ...part, id: undefined };
}

function readId(event: object): unknown {
  return 'toolCallId' in event ? event.toolCallId : undefined;
}

/** A call of a tool that this process runs. */
function isCall(part: object): boolean {
  return 'toolCallId' in part && (part.toolCallId === 'l' || part.toolCallId === 't');
}
