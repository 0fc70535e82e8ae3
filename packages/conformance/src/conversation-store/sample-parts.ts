import type { MessagePart } from '@halyard/contracts';

const providerMetadata = { provider: { signature: 'c2ln', cached: [1, null, { deep: true }] } };
const approval = { id: 'approval-1', signature: 'sig', descriptor: { risk: 'high' }, isAutomatic: false };
const call = { type: 'tool-getWeather', toolCallId: 'call-1', input: { city: 'Köln' } } as const;

/** A part of each type and state, with all optional fields. */
export const samplePartsByType: Readonly<Record<string, readonly MessagePart[]>> = {
  text: [
    { type: 'text', text: '' },
    { type: 'text', text: 'Half an ans', state: 'streaming' },
    {
      type: 'text',
      text: 'An answer',
      state: 'done',
      citations: [
        {
          source: { type: 'source', id: 's-1', sourceType: 'url', url: 'https://example.com', title: 'Example' },
          startIndex: 0,
          endIndex: 9,
          citedText: 'An answer',
        },
        {
          source: {
            type: 'source',
            id: 's-2',
            sourceType: 'document',
            mediaType: 'text/plain',
            title: 'A',
            filename: 'a',
          },
        },
      ],
      providerMetadata,
    },
  ],
  reasoning: [
    { type: 'reasoning', text: 'Because', state: 'done', providerMetadata },
    { type: 'reasoning', id: 'r-1', text: '' },
    { type: 'reasoning-file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA', providerMetadata },
  ],
  files: [
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA', filename: 'ä.png', providerMetadata },
    { type: 'file', mediaType: 'text/plain', url: 'https://example.com/a', providerReference: { provider: 'file-1' } },
  ],
  sources: [
    { type: 'source-url', sourceId: 's-1', url: 'https://example.com', title: 'Example', providerMetadata },
    { type: 'source-document', sourceId: 's-2', mediaType: 'text/plain', title: 'A', filename: 'a', providerMetadata },
  ],
  'tool calls': [
    { type: 'step-start' },
    {
      type: 'tool-getWeather',
      toolCallId: 'call-0',
      state: 'input-streaming',
      rawInput: '{"ci',
      inputEncoding: 'json',
    },
    { ...call, state: 'input-available', title: 'Weather', toolMetadata: { a: [1] }, providerExecuted: true },
    { ...call, state: 'approval-requested', approval, callProviderMetadata: providerMetadata },
    { ...call, state: 'approval-responded', approval: { ...approval, approved: false, reason: 'no' } },
    { ...call, state: 'output-available', output: null, preliminary: true, resultProviderMetadata: providerMetadata },
    { ...call, state: 'output-available', output: { degrees: -3.5 }, approval: { ...approval, approved: true } },
    { ...call, state: 'output-error', rawInput: '{', errorText: 'Too far' },
    { ...call, state: 'output-denied', approval: { ...approval, approved: false } },
    { type: 'dynamic-tool', toolName: 'find', toolCallId: 'call-2', state: 'output-available', input: [], output: '' },
  ],
  'parts of apps, providers and users': [
    { type: 'data-weather', id: 'd-1', data: { degrees: [1, 2] } },
    { type: 'data-none', data: null },
    { type: 'custom', kind: 'provider.compaction', providerMetadata },
    {
      type: 'steering-message',
      id: 'st-1',
      parts: [
        { type: 'text', text: 'And in Rome?' },
        { type: 'file', mediaType: 'text/plain', url: 'data:,a' },
      ],
    },
  ],
};
