import type { ConversationStore, Message, MessagePart, PartsSave } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { expect, it, vi } from 'vitest';
import { agentWithMemory, type AgentWithMemory } from '../memory/testing/agent-with-memory.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const size = 20_000;
const steps = 6;
/** Only results of tools cause writes. */
const debounceMs = 60_000;
const nothing = Type.Object({});
const call = { toolCalls: [{ toolName: 'read', input: {} }] };
let read = 0;
const reader = createTool({
  name: 'read',
  description: 'Reads',
  input: nothing,
  execute: () => `${(read += 1)} `.padEnd(size, 'x'),
});
const locate = createTool({ name: 'locate', description: 'Asks where', input: nothing });

/** The writes of an agent's conversations, in order. */
function writesOf({ storage: { conversations } }: AgentWithMemory): readonly (PartsSave | readonly Message[])[] {
  const writes: (PartsSave | readonly Message[])[] = [];
  const { save, saveParts } = conversations;
  vi.spyOn(conversations, 'save').mockImplementation((owner, written) => {
    writes.push(written.messages);
    return save.call(conversations, owner, written);
  });
  vi.spyOn(conversations as Required<ConversationStore>, 'saveParts').mockImplementation(async (owner, written) => {
    writes.push(written);
    return (await saveParts?.call(conversations, owner, written)) ?? false;
  });
  return writes;
}

const kindsOf = (writes: ReturnType<typeof writesOf>): readonly string[] =>
  writes.map((write) => ('writer' in write ? 'parts' : 'whole'));

/** How many results the stored reply has. */
const resultsIn = (messages: readonly Message[]): number => (messages.at(-1)?.parts ?? []).filter(isResult).length;
const isResult = (part: MessagePart): boolean => 'output' in part;

/**
 * An agent that reads in each step. Each model call waits until the results before it are stored.
 */
function reading(during: (step: number, agent: AgentWithMemory) => Promise<void> = async () => {}): AgentWithMemory {
  const turn: ScriptedReply = async (_, step) => {
    await vi.waitFor(async () => expect(resultsIn(await running.stored())).toBe(step), { timeout: 120_000 });
    await during(step, running);
    return step < steps ? call : 'Done.';
  };
  const running = agentWithMemory([turn], { tools: [reader], maxSteps: 20 }, { persistence: { debounceMs } });
  return running;
}

it('writes each result of a long answer twice: with its step, and at the end', async () => {
  const running = reading();
  const writes = writesOf(running);

  await running.agent.generateText('Read', running.options);

  // The question may be a write of its own.
  const ofAnswer = writes.filter((write) => 'writer' in write || write.some(({ role }) => role === 'assistant'));
  expect(kindsOf(ofAnswer)).toEqual(['whole', ...Array<string>(steps - 1).fill('parts'), 'whole']);
  const sizes = ofAnswer.map((write) => JSON.stringify('writer' in write ? write.parts : write).length);
  // The second write repeats the first, because a store keeps parts of their own only from then on.
  expect(sizes.map((bytes) => Math.round(bytes / size))).toEqual([1, 2, 1, 1, 1, 1, steps]);
  const [, answer] = await running.stored();
  expect(answer?.parts.filter(isResult)).toHaveLength(steps);
  expect(answer?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Done.' });
});

it('writes a long answer whole at the end when its last step added nothing', async () => {
  const running = agentWithMemory([call], { tools: [reader], maxSteps: 3 });
  const writes = writesOf(running);

  await running.agent.generateText('Read', running.options);

  expect(kindsOf(writes).at(-1)).toBe('whole');
  expect(resultsIn(await running.stored())).toBe(3);
});

it('writes a short answer whole after each step', async () => {
  const small = createTool({ name: 'read', description: 'Reads', input: nothing, execute: () => 'x' });
  const running = agentWithMemory([call, call, call, 'Done.'], { tools: [small] });
  const writes = writesOf(running);

  await running.agent.generateText('Read', running.options);

  expect(new Set(kindsOf(writes))).toEqual(new Set(['whole']));
});

it('writes an answer without tools twice with its question, as long as it may be', async () => {
  const running = agentWithMemory(['x '.repeat(size)]);
  const writes = writesOf(running);

  await running.agent.generateText('Tell', running.options);

  expect(kindsOf(writes).length).toBeLessThanOrEqual(2);
  expect(new Set(kindsOf(writes))).toEqual(new Set(['whole']));
});

it('writes a long answer whole after each step in a store without parts', async () => {
  const running = reading();
  Object.assign(running.storage.conversations, { saveParts: undefined });

  await running.agent.generateText('Read', running.options);

  expect(resultsIn(await running.stored())).toBe(steps);
});

it('goes on with a long answer that somebody else has written in the meantime', async () => {
  const running = reading(async (step, { save, stored }) => {
    const answer = (await stored()).at(-1);
    if (step === 3 && answer !== undefined)
      await save({ ...answer, parts: [...answer.parts], metadata: { seen: true } });
  });
  const writes = writesOf(running);

  await running.agent.generateText('Read', running.options);

  expect(resultsIn(await running.stored())).toBe(steps);
  expect(kindsOf(writes).filter((kind) => kind === 'parts').length).toBeGreaterThan(3);
});

it('does not write a long answer into a conversation that was deleted during the run', async () => {
  const turn: ScriptedReply = async (_, step) => {
    if (step === 4) await running.storage.conversations.delete('anyone', 'c1');
    return step < steps ? call : 'Done.';
  };
  const running = agentWithMemory([turn], { tools: [reader], maxSteps: 20 }, { persistence: { debounceMs } });

  await expect(running.agent.generateText('Read', running.options)).resolves.toMatchObject({ text: 'Done.' });
  expect(await running.storage.conversations.isTaken('c1')).toBe(false);
});

it('fails when parts of a long answer cannot be written, and keeps those before', async () => {
  const running = reading(async (step, { storage }) => {
    if (step === 3)
      vi.spyOn(storage.conversations as Required<ConversationStore>, 'saveParts').mockRejectedValue(new Error('down'));
  });

  await expect(running.agent.generateText('Read', running.options)).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
  });
  expect(resultsIn(await running.stored())).toBe(3);
});

it('continues a long answer with the result of a client, also when somebody else has written it in the meantime', async () => {
  const running = agentWithMemory(
    [
      { toolCalls: [{ toolName: 'locate', input: {}, toolCallId: 'c1' }] },
      async (_, step) => {
        const answer = (await running.stored()).at(-1);
        if (step === 4 && answer !== undefined) await running.save(answer);
        return step <= steps ? call : 'Done.';
      },
    ],
    { tools: [reader, locate], maxSteps: 20 },
    { persistence: { debounceMs } },
  );
  const writes = writesOf(running);
  await running.agent.generateText('Where?', running.options);
  const output = { type: 'text', value: 'Rome' } as const;
  const content = [{ type: 'tool-result', toolCallId: 'c1', toolName: 'locate', output } as const];
  await running.agent.generateText([{ role: 'tool', content }], running.options);

  const [, answer] = await running.stored();
  const results = (answer?.parts ?? []).flatMap((part) => ('output' in part ? [part.output] : []));
  expect(results[0]).toBe('Rome');
  expect(results).toHaveLength(steps + 1);
  expect(kindsOf(writes)).toContain('parts');
});
