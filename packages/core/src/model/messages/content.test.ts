import type { MessagePart } from '@halyard/contracts';
import { expect, it } from 'vitest';
import type { ModelPart } from '../providers/model-port.ts';
import { isContentOfMessage, isContentOfStream } from './content.ts';

const call = { toolCallId: 'c1', toolName: 'look', input: '{}' };

it.each<ModelPart>([
  { type: 'text-delta', id: '1', delta: 'Hi' },
  { type: 'reasoning-delta', id: '1', delta: 'Hm' },
  { type: 'tool-input-start', id: '1', toolName: 'look' },
  { type: 'tool-call', ...call },
  { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } },
  { type: 'source', sourceType: 'url', id: '1', url: 'https://example.com' },
])('is content of a stream: $type', (part) => {
  expect(isContentOfStream(part)).toBe(true);
});

it.each<ModelPart>([
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: '\n\n' },
  { type: 'text-end', id: '1' },
  { type: 'reasoning-delta', id: '1', delta: '' },
  { type: 'reasoning-end', id: '1' },
  { type: 'custom', kind: 'anthropic.message_start' },
  { type: 'custom', kind: 'other.kind' },
  { type: 'response-metadata', id: '1' },
  { type: 'a-later-type' } as unknown as ModelPart,
])('is no content of a stream: $type', (part) => {
  expect(isContentOfStream(part)).toBe(false);
});

it.each<MessagePart>([
  { type: 'text', text: 'Hi' },
  { type: 'reasoning', text: 'Hm' },
  { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
  { type: 'source-url', sourceId: '1', url: 'https://example.com' },
  { type: 'tool-look', toolCallId: 'c1', state: 'input-available', input: {} },
  { type: 'data-progress', data: 1 },
])('is content of a message: $type', (part) => {
  expect(isContentOfMessage(part)).toBe(true);
});

it.each<MessagePart>([
  { type: 'step-start' },
  { type: 'text', text: ' \n' },
  { type: 'reasoning', text: '' },
  { type: 'custom', kind: 'other.kind' },
  { type: 'tool-look', toolCallId: 'c1', state: 'input-streaming' },
  { type: 'a-later-type' } as unknown as MessagePart,
])('is no content of a message: $type', (part) => {
  expect(isContentOfMessage(part)).toBe(false);
});
