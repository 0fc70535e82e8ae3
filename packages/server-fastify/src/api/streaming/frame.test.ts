import type { AgentEvent } from '@halyard/core';
import { expect, it } from 'vitest';
import { frame } from './frame.ts';

it.each<AgentEvent>([
  { type: 'text-delta', id: 't', delta: 'plain' },
  { type: 'text-delta', id: 'a"b', delta: 'quotes " backslash \\ newline \n separator \u2028 half \ud800 emoji 🙂' },
  { type: 'text-delta', id: 't', delta: 'x', agentId: 'b', agentPath: ['a', 'b'] },
  { type: 'text-delta', id: 't', delta: 'x', providerMetadata: { openai: { itemId: 'i' } } },
  { type: 'reasoning-delta', id: 'r', delta: 'x' },
  { type: 'tool-result', toolCallId: 'c', toolName: 'n', input: {}, output: { lines: ['a\n\nb'] } },
])('encodes %j as one line of JSON and a blank line', (event) => {
  const text = frame(event);

  expect(text).toMatch(/^data: [^\n]*\n\n$/);
  expect(text).toBe(`data: ${JSON.stringify(event)}\n\n`);
});
