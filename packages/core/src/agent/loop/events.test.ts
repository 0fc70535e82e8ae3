import { HalyardError, InvalidInputError, silentLogger } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import type { ConversationWriter } from '../../conversation/writer/conversation-writer.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { AgentHooks } from '../hooks.ts';
import { errorText, RunEvents } from './events.ts';
import { type AgentJournal, noJournal } from './journal.ts';

const hookRun = { agentId: 'a', runId: 'r', userId: undefined, conversationId: undefined, context: {} };
const delta: AgentEvent = { type: 'text-delta', id: 't', delta: 'Hi' };
const end: AgentEvent = { type: 'abort' };

function open(journal: AgentJournal = noJournal, hooks: AgentHooks = {}) {
  const emitted: AgentEvent[] = [];
  const written: unknown[] = [];
  const writer: Pick<ConversationWriter, 'add' | 'addReplayed'> = {
    add: (event) => void written.push(event.type),
    addReplayed: (event) => void written.push(`replayed ${event.type}`),
  };
  const behind = Promise.resolve();
  const emit = (event: AgentEvent): Promise<void> => {
    emitted.push(event);
    return behind;
  };
  const events = new RunEvents({
    hooks,
    hookRun,
    journal,
    logger: silentLogger,
    writer: writer as ConversationWriter,
    isClientSide: (name) => name === 'locate',
    emit,
  });
  return { behind, emitted, events, written };
}

describe('the events of a run', () => {
  it('reach its consumer, whom the run waits for, and the message that it writes', () => {
    const { behind, emitted, events, written } = open();
    expect(events.emit(delta)).toBe(behind);
    expect([emitted, written]).toEqual([[delta], ['text-delta']]);
  });

  it.each(['finish', 'abort', 'error'])('are dropped after its %s', (type) => {
    const { emitted, events, written } = open();
    void events.emit({ type } as AgentEvent);
    expect(events.emit({ ...delta, agentId: 'worker' })).toBeUndefined();
    expect([emitted, written]).toEqual([[{ type }], [type]]);
  });

  it('continue after the end of a sub-agent, and after a text', () => {
    const { emitted, events } = open();
    for (const event of [{ ...end, agentId: 'worker' }, delta, delta]) void events.emit(event);
    expect(emitted).toHaveLength(3);
  });

  it('are emitted where only a part of their calls was delivered', () => {
    const { emitted, events } = open({ ...noJournal, isDelivered: (key) => key === 'one' });
    void events.for(['one', 'two']).emit(delta);
    expect(emitted).toEqual([delta]);
    expect(events.for(['one', 'two'])).toBe(events);
    expect(events.for(['one'])).not.toBe(events);
  });

  it('that were delivered before only update the message', async () => {
    const called: string[] = [];
    const hooks: AgentHooks = { onStart: () => void called.push('start') };
    const { emitted, events, written } = open({ ...noJournal, isDelivered: () => true }, hooks);
    const replayed = events.for(['one']);
    expect(replayed.emit(delta)).toBeUndefined();
    await replayed.callHook('onStart', (given, run) => given.onStart?.(run));
    expect([emitted, written, called]).toEqual([[], ['replayed text-delta'], []]);
    await events.callHook('onStart', (given, run) => given.onStart?.(run));
    await events.callHook('onEnd', () => void called.push('end'));
    expect(called).toEqual(['start']);
  });

  it('are emitted again for a consumer that starts from the beginning', () => {
    const { behind, emitted, events, written } = open({ ...noJournal, isDelivered: () => true, repeatsEvents: true });
    expect(events.for(['one']).emit(delta)).toBe(behind);
    expect([emitted, written]).toEqual([[delta], ['replayed text-delta']]);
  });
});

it('tells clients of a failure only its public message', () => {
  expect(errorText(new InvalidInputError('too long'))).toBe('too long');
  expect(errorText(new HalyardError('internal', 'BUG', 'secret'))).toBe('The run failed');
  expect(errorText(new Error('secret'))).toBe('The run failed');
});
