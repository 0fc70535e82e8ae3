import type { MessagePart, Storage } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { toUiChunks } from '../../chat/to-ui-chunks.ts';
import { createMemory } from '../../memory/memory.ts';
import { collectEvents, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { ToolDataPart, ToolWriter } from '../../tool/tool-data.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { AgentOptions, InternalRunOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import type { AgentJournal } from '../loop/journal.ts';
import { redactPii } from '../processors/redact-pii.ts';

const services = { logger: silentLogger };
const conversation = { conversationId: 'c', userId: 'u', services };
const calling: ScriptedReply = { toolCalls: [{ toolName: 'track', toolCallId: 't1', input: {} }] };

/** A tool that does this with its writer. */
const tracking = (use: (writer: ToolWriter) => unknown) =>
  createTool({
    name: 'track',
    description: 'Tracks an order',
    input: Type.Object({}),
    execute: async (_input, { writer }) => {
      await use(writer);
      return 'tracked';
    },
  });

const writing = (...parts: readonly ToolDataPart[]) =>
  tracking(async (writer) => {
    for (const part of parts) await writer.write(part);
  });

function agentWith(options: Partial<AgentOptions>): { agent: Agent; storage: Storage } {
  const storage = createInMemoryStorage();
  const model = scriptedModel(calling, 'Done');
  return { agent: new Agent({ id: 'a', model, memory: createMemory({ storage }), ...options }), storage };
}

const eventsOf = async (agent: Agent): Promise<readonly AgentEvent[]> =>
  collectEvents(await agent.streamText('Where is it?', conversation));

const dataIn = (events: readonly AgentEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === 'data' ? [event] : []));

async function replyParts({ conversations }: Storage): Promise<readonly MessagePart[]> {
  const stored = await conversations.messages('anyone', 'c', { limit: 9 });
  return stored?.messages.findLast(({ role }) => role === 'assistant')?.parts ?? [];
}

const storedData = async (storage: Storage): Promise<readonly MessagePart[]> =>
  (await replyParts(storage)).filter(({ type }) => type.startsWith('data-'));

describe('data that a tool writes', () => {
  it('are events before the result of the tool, and parts of the stored message', async () => {
    const { agent, storage } = agentWith({
      tools: [
        writing(
          { type: 'data-status', id: 's', data: { step: 'packed' } },
          { type: 'data-map', data: [1, 2] },
          { type: 'data-status', id: 's', data: { step: 'sent', at: new Date(0) } },
          { type: 'data-hint', data: 'Soon', transient: true },
        ),
      ],
    });

    const events = await eventsOf(agent);

    const sent = { type: 'data-status', id: 's', data: { step: 'sent', at: '1970-01-01T00:00:00.000Z' } };
    expect(dataIn(events)).toEqual([
      { type: 'data', part: { type: 'data-status', id: 's', data: { step: 'packed' } } },
      { type: 'data', part: { type: 'data-map', data: [1, 2] } },
      { type: 'data', part: sent },
      { type: 'data', part: { type: 'data-hint', data: 'Soon' }, transient: true },
    ]);
    const types = events.map(({ type }) => type);
    expect(types.lastIndexOf('data')).toBeLessThan(types.indexOf('tool-result'));
    expect((await replyParts(storage)).map(({ type }) => type)).toEqual([
      'step-start',
      'tool-track',
      'data-status',
      'data-map',
      'step-start',
      'text',
    ]);
    expect(await storedData(storage)).toEqual([sent, { type: 'data-map', data: [1, 2] }]);
    expect(events.flatMap((event) => toUiChunks(event, 'm')).filter(({ type }) => type.startsWith('data-'))).toEqual([
      { type: 'data-status', id: 's', data: { step: 'packed' } },
      { type: 'data-map', data: [1, 2] },
      sent,
      { type: 'data-hint', data: 'Soon', transient: true },
    ]);
  });

  it('are not sent to the model, neither in this run nor in later ones', async () => {
    const model = scriptedModel(calling, 'Done', 'Bye');
    const { agent } = agentWith({ model, tools: [writing({ type: 'data-status', data: 'hidden' })] });

    await agent.generateText('Where is it?', conversation);
    await agent.generateText('Thanks', conversation);

    expect(model.calls).toHaveLength(3);
    expect(JSON.stringify(model.calls.map(({ prompt }) => prompt))).not.toContain('hidden');
  });

  it('pass the processors of the answer', async () => {
    const { agent, storage } = agentWith({
      tools: [writing({ type: 'data-contact', data: { mail: 'ada@example.com' } })],
      processors: [redactPii()],
    });

    expect(dataIn(await eventsOf(agent))).toEqual([
      { type: 'data', part: { type: 'data-contact', data: { mail: '[email]' } } },
    ]);
    expect(await storedData(storage)).toEqual([{ type: 'data-contact', data: { mail: '[email]' } }]);
  });

  it('end the run if a guardrail blocks them, even if the tool does not wait', async () => {
    const { agent, storage } = agentWith({
      tools: [tracking((writer) => void writer.write({ type: 'data-key', data: 'secret' }))],
      outputGuardrails: [
        {
          name: 'secrets',
          check: (text, _run, { source }) =>
            source === 'data' && text.includes('secret') ? { action: 'block', reason: 'secret' } : { action: 'allow' },
        },
      ],
    });

    await expect(agent.generateText('Hi', conversation)).rejects.toMatchObject({ code: 'OUTPUT_BLOCKED' });
    expect(await storedData(storage)).toEqual([]);
  });

  it.each([
    [{ type: 'text' }, '"data-" and a name'],
    [{ type: 'data-agent-event' }, 'only the framework sends'],
    [{ type: 'data-a', id: '' }, 'an id that is not a text of 1 to 128 characters'],
    [{ type: 'data-a', data: { at: 1n } }, 'a BigInt in "at", which is not JSON'],
    [{ type: 'data-a', data: 'x'.repeat(65_536) }, 'At most 65536 are sent'],
  ])('are refused at once if they cannot be sent: %o', async (part, message) => {
    const { agent } = agentWith({ tools: [writing({ data: 1, ...part } as ToolDataPart)] });

    const events = await eventsOf(agent);

    expect(dataIn(events)).toEqual([]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool-error', error: expect.stringContaining(message) }),
    );
  });

  it('are limited in one call', async () => {
    const part = { type: 'data-a', data: 'x'.repeat(60_000), transient: true } as const;
    const { agent } = agentWith({ tools: [writing(...Array.from({ length: 18 }, () => part))] });

    const events = await eventsOf(agent);

    expect(dataIn(events)).toHaveLength(17);
    expect(events).toContainEqual(
      expect.objectContaining({ error: 'Tool "track" wrote more than 1048576 characters of data in one call' }),
    );
  });

  it('are dropped after the end of the call', async () => {
    let late: ToolWriter | undefined;
    const { agent, storage } = agentWith({ tools: [tracking((writer) => void (late = writer))] });

    const events = await eventsOf(agent);
    await late?.write({ type: 'data-late', data: 1 });

    expect(dataIn(events)).toEqual([]);
    expect(await storedData(storage)).toEqual([]);
  });

  it('of a sub-agent are part of the answer of the agent that was asked', async () => {
    const helper = new Agent({
      id: 'helper',
      model: scriptedModel(calling, 'Found'),
      tools: [writing({ type: 'data-map', id: 'm', data: 1 }, { type: 'data-hint', data: 2, transient: true })],
    });
    const { agent, storage } = agentWith({
      model: scriptedModel({ toolCalls: [{ toolName: 'ask_helper', input: { task: 'Find' } }] }, 'Done'),
      subAgents: [helper],
    });

    const events = await eventsOf(agent);

    expect(dataIn(events)).toMatchObject([
      { part: { type: 'data-map', id: 'm', data: 1 }, agentId: 'helper' },
      { part: { type: 'data-hint' }, transient: true, agentId: 'helper' },
    ]);
    expect(await storedData(storage)).toEqual([{ type: 'data-map', id: 'm', data: 1 }]);
    const chunks = events.flatMap((event) => toUiChunks(event, 'm')).filter(({ type }) => type.startsWith('data-'));
    expect(chunks).toContainEqual({ type: 'data-map', id: 'm', data: 1 });
    expect(JSON.stringify(chunks.filter(({ type }) => type === 'data-agent-event'))).not.toContain('data-map');
  });

  it('belong to a stored answer that is emitted again', async () => {
    const { agent } = agentWith({ tools: [writing({ type: 'data-map', id: 'm', data: 1 })] });
    const question = [{ id: 'q', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Where?' }] }];
    await agent.generateText(question, conversation);

    const again = await collectEvents(await agent.streamText(question, conversation));

    expect(dataIn(again)).toEqual([{ type: 'data', part: { type: 'data-map', id: 'm', data: 1 } }]);
  });

  it.each(['a tool', 'a sub-agent', 'a sub-agent whose call is repeated'])(
    'of %s belong to the message of a run that is continued',
    async (who) => {
      const known = new Map<string, string>();
      const journal: AgentJournal = {
        record: async <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
          const recorded = known.get(key);
          if (recorded !== undefined) return JSON.parse(recorded) as Value;
          const value = await work();
          known.set(key, JSON.stringify(value));
          return value;
        },
      };
      const tools = [writing({ type: 'data-map', id: 'm', data: 1 }, { type: 'data-hint', data: 2, transient: true })];
      const helper = new Agent({ id: 'helper', model: scriptedModel(calling, 'Found'), tools });
      const start = () =>
        agentWith(
          who === 'a tool'
            ? { tools }
            : {
                model: scriptedModel({ toolCalls: [{ toolName: 'ask_helper', input: { task: 'Find' } }] }, 'Done'),
                subAgents: [helper],
              },
        );
      const first = start();
      await first.agent.generateText('Where?', { ...conversation, journal } as InternalRunOptions);

      for (const key of known.keys())
        if (who.endsWith('repeated') && /^step-0\/tool\/[^/]+$/.test(key)) known.delete(key);
      const second = start();
      await second.agent.generateText('Where?', { ...conversation, journal } as InternalRunOptions);

      expect(await storedData(second.storage)).toEqual(await storedData(first.storage));
      expect(await storedData(second.storage)).toEqual([{ type: 'data-map', id: 'm', data: 1 }]);
    },
  );
});
