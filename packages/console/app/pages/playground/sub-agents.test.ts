import { expect, it } from 'vitest';
import { type SubAgentEvent, type SubAgents, withEvent } from './sub-agents.ts';

const after = (...events: readonly SubAgentEvent['event'][]): SubAgents[string] | undefined =>
  events.reduce<SubAgents>(
    (known, event) => withEvent(known, { agentId: 'clerk', parentToolCallId: 'call', event }),
    {},
  )['call'];

it('collects text and calls of tools', () => {
  expect(
    after(
      { type: 'start' },
      { type: 'text-delta', delta: 'Hel' },
      { type: 'text-delta', delta: 'lo' },
      { type: 'text-delta' },
      { type: 'tool-call', toolCallId: '1', toolName: 'clock' },
      { type: 'tool-call', toolCallId: '2', toolName: 'map' },
      { type: 'tool-call', toolCallId: '3', toolName: 'fax' },
      { type: 'tool-result', toolCallId: '1' },
      { type: 'tool-error', toolCallId: '2' },
    ),
  ).toEqual({
    agentId: 'clerk',
    text: 'Hello',
    calls: [
      { id: '1', name: 'clock', state: 'completed' },
      { id: '2', name: 'map', state: 'error' },
      { id: '3', name: 'fax', state: 'running' },
    ],
    isRunning: true,
  });
});

it.each(['finish', 'abort', 'error'])('ends with %s', (type) => {
  expect(after({ type: 'start' }, { type })).toMatchObject({ isRunning: false });
});

it('begins again when a reader that reconnected gets all events again', () => {
  const events = [{ type: 'start' }, { type: 'text-delta', delta: 'Hi' }, { type: 'finish' }];
  expect(after(...events, ...events)).toMatchObject({ text: 'Hi', isRunning: false });
});

it('ignores events that it does not know, and accepts one without a start', () => {
  expect(after({ type: 'dance' })).toEqual({ agentId: 'clerk', text: '', calls: [], isRunning: true });
});

it('keeps sub-agents of other calls apart', () => {
  const one = withEvent({}, { agentId: 'a', parentToolCallId: '1', event: { type: 'text-delta', delta: 'x' } });
  const both = withEvent(one, { agentId: 'b', parentToolCallId: '2', event: { type: 'start' } });
  expect(both['1']).toEqual(one['1']);
  expect(both['2']).toMatchObject({ agentId: 'b', text: '' });
});
