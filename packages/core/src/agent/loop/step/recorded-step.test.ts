import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import type { ModelContent, ModelPart } from '../../../model/providers/model-port.ts';
import { collectEvents, fixedClock, scriptedModel, silentLogger } from '../../../testing/index.ts';
import { createTool } from '../../../tool/create-tool.ts';
import type { AgentEvent } from '../../agent-event.ts';
import type { InternalRunOptions } from '../../agent-options.ts';
import { Agent } from '../../agent.ts';
import type { AgentJournal } from '../journal.ts';

const providerMetadata = { openai: { itemId: 'x' } };
const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15, cachedInputTokens: 0, reasoningTokens: 0 };
const web = { toolCallId: 'w', toolName: 'web', providerExecuted: true };
const webCall = { toolCallId: 'w', toolName: 'web', input: { q: 'a' }, providerExecuted: true, dynamic: true };
const citation = {
  source: { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.b' } as const,
  startIndex: 0,
  endIndex: 2,
};

const pay = createTool({
  name: 'pay',
  description: 'Pays',
  title: 'Payment',
  input: Type.Object({ euros: Type.Number() }),
  execute: ({ euros }) => ({ paid: euros }),
});

/** Everything that a model can answer in one step. */
const parts: readonly (ModelContent | ModelPart)[] = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
  { type: 'reasoning-delta', id: 'r', delta: '.' },
  { type: 'reasoning-end', id: 'r', providerMetadata },
  { type: 'reasoning-start', id: 'q' },
  { type: 'reasoning-delta', id: 'q', delta: ' Well.' },
  { type: 'reasoning-end', id: 'q' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hi' },
  { type: 'text-end', id: 't', citations: [citation] },
  { type: 'tool-call', ...web, input: '{"q":"a"}', providerMetadata },
  { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: { hits: 1 }, providerMetadata },
  { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: 'found' },
  { type: 'tool-result', toolCallId: 'w', toolName: 'web', result: 'no hits', isError: true },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' }, providerMetadata },
  { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('https://a.b/c.png') } },
  { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'BAUG' }, providerMetadata },
  { type: 'custom', kind: 'openai.compaction', providerMetadata },
  { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.b' },
  { type: 'tool-call', toolCallId: 'p', toolName: 'pay', input: '{"euros":5}', providerMetadata },
  { type: 'tool-call', toolCallId: 'n', toolName: 'unknown', input: '{}' },
  { type: 'response-metadata', id: 'resp-1', modelId: 'm-2026', timestamp: new Date(7) },
];

function open() {
  const entries = new Map<string, string>();
  const journal: AgentJournal = {
    async record<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const recorded = entries.get(key);
      if (recorded !== undefined) return JSON.parse(recorded) as Value;
      const value = await work();
      entries.set(key, JSON.stringify(value));
      return value;
    },
  };
  const model = scriptedModel({ parts }, 'Done.');
  const agent = new Agent({ id: 'a', model, tools: [pay] });
  const run = async () => {
    const stream = await agent.streamText('Go', {
      journal,
      services: { logger: silentLogger, clock: fixedClock(0), ids: { next: () => 'run-1' } },
    } as InternalRunOptions);
    return { events: await collectEvents(stream), result: await stream.result };
  };
  return { model, run };
}

/** Without the ids and the borders of texts, which a recorded step does not have. */
function comparable(events: readonly AgentEvent[]): readonly unknown[] {
  const texts: unknown[] = [];
  for (const event of events) {
    const last = texts.at(-1) as { type: string; delta: string } | undefined;
    if ('delta' in event && last?.type === event.type) last.delta += event.delta;
    else texts.push('id' in event && !event.type.startsWith('source') ? { ...event, id: '' } : { ...event });
  }
  return texts;
}

it('emits each part of a step, and again when the step is recorded', async () => {
  const { model, run } = open();
  const first = await run();
  const call = { toolCallId: 'p', toolName: 'pay', input: { euros: 5 } };
  const unknown = { toolCallId: 'n', toolName: 'unknown', input: {} };
  const image = { mediaType: 'image/png' };

  const end = first.events.findIndex(({ type }) => type === 'finish-step');

  expect(comparable(first.events.slice(0, end + 1))).toStrictEqual([
    { type: 'start' },
    { type: 'start-step' },
    { type: 'reasoning-start', id: '' },
    { type: 'reasoning-delta', id: '', delta: 'Hm.' },
    { type: 'reasoning-end', id: '', providerMetadata },
    { type: 'reasoning-start', id: '' },
    { type: 'reasoning-delta', id: '', delta: ' Well.' },
    { type: 'reasoning-end', id: '' },
    { type: 'text-start', id: '' },
    { type: 'text-delta', id: '', delta: 'Hi' },
    { type: 'text-end', id: '', citations: [citation] },
    { type: 'tool-call', ...webCall, providerMetadata },
    { type: 'tool-result', ...webCall, output: { hits: 1 }, providerMetadata },
    { type: 'tool-result', ...webCall, output: 'found' },
    { type: 'tool-error', ...webCall, error: 'no hits' },
    { type: 'file', ...image, url: 'data:image/png;base64,AQID', providerMetadata },
    { type: 'file', ...image, url: 'https://a.b/c.png' },
    { type: 'reasoning-file', ...image, url: 'data:image/png;base64,BAUG', providerMetadata },
    { type: 'custom', kind: 'openai.compaction', providerMetadata },
    { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.b' },
    { type: 'tool-call', ...call, title: 'Payment', providerMetadata },
    { type: 'tool-call', ...unknown, dynamic: true },
    {
      type: 'tool-error',
      ...unknown,
      dynamic: true,
      error: expect.stringContaining('There is no tool "unknown"; available: pay'),
    },
    { type: 'tool-result', ...call, output: { paid: 5 }, providerMetadata },
    { type: 'finish-step', finishReason: 'tool-calls', usage },
  ]);

  const again = await run();
  expect(model.calls).toHaveLength(2);
  // Sources and calls have no place among the other parts of a recorded step.
  const sorted = (events: readonly AgentEvent[]) =>
    comparable(events)
      .map((event) => JSON.stringify(event))
      .toSorted();
  expect(sorted(again.events)).toEqual(sorted(first.events));
  expect(JSON.parse(JSON.stringify(again.result.steps))).toEqual(JSON.parse(JSON.stringify(first.result.steps)));
});

it('has each part of a step in its result', async () => {
  const { result } = await open().run();
  const [step] = result.steps;

  expect(JSON.parse(JSON.stringify(step?.toolCalls))).toStrictEqual([
    { ...webCall, providerMetadata },
    { toolCallId: 'p', toolName: 'pay', input: { euros: 5 }, title: 'Payment', providerMetadata },
    { toolCallId: 'n', toolName: 'unknown', input: {}, invalid: true, dynamic: true },
  ]);
  expect(step?.toolResults).toStrictEqual([
    { ...webCall, output: { hits: 1 }, providerMetadata },
    { ...webCall, output: 'found' },
    { toolCallId: 'p', toolName: 'pay', input: { euros: 5 }, output: { paid: 5 }, providerMetadata },
  ]);
  expect(step).toMatchObject({
    stepNumber: 0,
    model: { provider: 'scripted', modelId: 'scripted' },
    text: 'Hi',
    reasoningText: 'Hm. Well.',
    finishReason: 'tool-calls',
    usage,
    warnings: [],
    response: { id: 'resp-1', modelId: 'm-2026', timestamp: new Date(7) },
    sources: [{ type: 'source', sourceType: 'url', id: 's1', url: 'https://a.b' }],
  });
  expect(step?.reasoning).toMatchObject([
    { type: 'reasoning', text: 'Hm.', providerMetadata },
    { type: 'reasoning', text: ' Well.' },
    { type: 'reasoning-file', providerMetadata, file: { url: 'data:image/png;base64,BAUG' } },
  ]);
  expect(step?.files).toMatchObject([
    { mediaType: 'image/png', url: 'data:image/png;base64,AQID', base64: 'AQID', providerMetadata },
    { mediaType: 'image/png', url: 'https://a.b/c.png', base64: '' },
  ]);
  expect(step?.files[0]?.uint8Array).toEqual(Uint8Array.of(1, 2, 3));
  expect(step?.files[1]).not.toHaveProperty('providerMetadata');
  expect(result.steps[1]?.response).toStrictEqual({ modelId: 'scripted', timestamp: new Date(0) });
  expect(result.steps[1]).toMatchObject({ stepNumber: 1, text: 'Done.', reasoning: [], reasoningText: undefined });
});
