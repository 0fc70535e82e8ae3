import type { AgentEvent as RunEvent } from '@halyard/core';
import { compileSchema, toStreamEvent, toUiChunks } from '@halyard/core/server';
import type { TSchema } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { AgentEvent, UiMessageChunk } from '../routes/agents/event-schemas.ts';
import { generationRoutes } from '../routes/agents/generation.ts';

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, cachedInputTokens: 0, reasoningTokens: 0 };
const providerMetadata = { openai: { itemId: 'x' } };
const ofAgent = { agentId: 'b', agentPath: ['a', 'b'], parentToolCallId: 'c1' };
const call = { toolCallId: 'c1', toolName: 'pay', input: { euros: 5 }, providerExecuted: true, dynamic: true };
const source = { type: 'source', id: 's1', sourceType: 'url', url: 'https://a.b' } as const;
const image = { mediaType: 'image/png', url: 'https://a.b/c.png', providerMetadata };
const summary = { id: 's', role: 'system' as const, parts: [{ type: 'text' as const, text: 'Ada likes tea.' }] };
const until = { summary: { until: '2026-01-01T00:00:00.000Z', messages: 2 } };

/** Each type of event with all of its fields. */
const events: { readonly [Type in RunEvent['type']]: readonly (RunEvent & { readonly type: Type })[] } = {
  start: [{ type: 'start', messageMetadata: { model: 'a' } }],
  'start-step': [{ type: 'start-step' }],
  'finish-step': [{ type: 'finish-step', finishReason: 'stop', usage, providerMetadata }],
  finish: [{ type: 'finish', finishReason: 'tool-calls', usage, messageMetadata: { tokens: 3 } }],
  abort: [{ type: 'abort', reason: 'gone' }],
  error: [{ type: 'error', error: 'no model' }],
  'text-start': [{ type: 'text-start', id: 't', providerMetadata }],
  'text-delta': [{ type: 'text-delta', id: 't', delta: 'a\n\nb', providerMetadata }],
  'text-end': [{ type: 'text-end', id: 't', citations: [{ source, citedText: 'Hi' }], providerMetadata }],
  'reasoning-start': [{ type: 'reasoning-start', id: 'r', providerMetadata }],
  'reasoning-delta': [{ type: 'reasoning-delta', id: 'r', delta: 'b', providerMetadata }],
  'reasoning-end': [{ type: 'reasoning-end', id: 'r', providerMetadata }],
  'tool-input-start': [
    {
      type: 'tool-input-start',
      id: 'c1',
      toolName: 'pay',
      title: 'Pay',
      dynamic: true,
      providerExecuted: true,
      providerMetadata,
    },
  ],
  'tool-input-delta': [{ type: 'tool-input-delta', id: 'c1', delta: '{"euros":', providerMetadata }],
  'tool-input-end': [{ type: 'tool-input-end', id: 'c1', providerMetadata }],
  'tool-call': [
    { type: 'tool-call', ...call, title: 'Pay', providerMetadata },
    { type: 'tool-call', ...call, approvalId: 'a1', signature: 'sig' },
    { type: 'tool-call', ...call, invalidInput: true },
  ],
  'tool-result': [{ type: 'tool-result', ...call, output: { paid: 5 }, preliminary: true, providerMetadata }],
  'tool-error': [
    { type: 'tool-error', ...call, error: 'no money', providerMetadata },
    { type: 'tool-error', ...call, error: 'not a number', invalidInput: true },
    { type: 'tool-error', ...call, error: 'denied', denied: true },
  ],
  source: [
    { ...source, title: 'A', providerMetadata },
    {
      type: 'source',
      id: 's2',
      sourceType: 'document',
      mediaType: 'text/plain',
      title: 'T',
      filename: 't.txt',
      providerMetadata,
    },
  ],
  file: [{ type: 'file', ...image }],
  'reasoning-file': [{ type: 'reasoning-file', ...image }],
  custom: [{ type: 'custom', kind: 'openai.compaction', providerMetadata }],
  data: [{ type: 'data', part: { type: 'data-chart', id: 'd1', data: [1] }, transient: true }],
  summary: [{ type: 'summary', message: { ...summary, metadata: until } }],
  raw: [{ type: 'raw', rawValue: { chunk: 1 } }],
};
const all: readonly RunEvent[] = Object.values(events).flat();

/** A check whether a value is valid, and the schema names all of its fields. */
function checkOf(schema: TSchema): (value: { readonly type: string }) => void {
  // Without the ids of its parts, which are there more than once.
  const copy = JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === '$id' ? undefined : value))) as {
    readonly anyOf: readonly { readonly properties: Readonly<Record<string, { readonly const?: unknown }>> }[];
  };
  const compiled = compileSchema(copy, 'an event');
  return (value) => {
    expect(compiled.validate(value, 'event')).toMatchObject({ ok: true });
    const variants = copy.anyOf.filter(({ properties }) => properties['type']?.const === value.type);
    const names = variants.flatMap(({ properties }) => Object.keys(properties));
    // Data of tools has types of its own.
    if (variants.length > 0) expect(names).toEqual(expect.arrayContaining(Object.keys(value)));
  };
}

const checkEvent = checkOf(AgentEvent);
const checkChunk = checkOf(UiMessageChunk);

describe('the stream of an agent', () => {
  const stream = generationRoutes.find(({ url }) => url === '/agents/:id/stream');
  const frameOf = (event: RunEvent) => (stream?.kind === 'stream' ? stream.encode(event) : undefined);

  it.each(all)('sends $type as one line that the API document describes', (event) => {
    for (const sent of [event, { ...event, ...ofAgent }]) {
      const expected = toStreamEvent(sent);
      expect(frameOf(sent)).toBe(expected === undefined ? '' : `data: ${JSON.stringify(expected)}\n\n`);
      if (expected !== undefined) checkEvent(expected);
    }
  });

  it('leaves out only content of providers, data of tools and summaries', () => {
    expect(all.filter((event) => frameOf(event) === '').map(({ type }) => type)).toEqual(['custom', 'data', 'summary']);
  });

  it('ends a failure with an error event', () => {
    expect(stream?.kind === 'stream' && stream.encodeFailure('no')).toBe('data: {"type":"error","error":"no"}\n\n');
  });
});

it.each(all)('the API document describes the chunks of $type in a chat', (event) => {
  for (const sent of [event, { ...event, ...ofAgent }]) {
    const chunks = JSON.parse(JSON.stringify([toUiChunks(sent, 'm1')].flat())) as { readonly type: string }[];
    for (const chunk of chunks) checkChunk(chunk);
    expect(chunks.every(({ type }) => type !== '')).toBe(true);
  }
});
