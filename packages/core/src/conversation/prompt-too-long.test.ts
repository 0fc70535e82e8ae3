import type { Message } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import type { AgentOptions } from '../agent/agent-options.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import type { ModelCallOptions } from '../model/providers/model-port.ts';
import { collectEvents, createScriptedModel, type ScriptedReply } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const tooLong = Object.assign(new Error('prompt is too long: 210000 tokens > 200000 maximum'), { statusCode: 400 });
const compaction = { afterTokens: 50_000, keep: 2 };

const isSummaryCall = ({ prompt: [first] }: ModelCallOptions): boolean =>
  first?.role === 'system' && first.content.startsWith('You take notes');

/** A model that reads prompts up to a size, whatever an agent estimates. */
const reading =
  (maxLength: number, answer: ScriptedReply = 'It fits.'): ScriptedReply =>
  (call) => {
    if (JSON.stringify(call.prompt).length > maxLength) return { error: tooLong };
    return isSummaryCall(call) ? 'Notes.' : answer;
  };

const words = (text: string): string => text.padEnd(300, '.');
/** About 600 characters each. */
const exchanges = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => [
    textMessage(`q${index}`, 'user', words(`Question ${index}`)),
    textMessage(`a${index}`, 'assistant', words(`Answer ${index}`)),
  ]).flat();

async function setUp(turn: ScriptedReply, options: Partial<AgentOptions> = { compaction }, stored = exchanges(20)) {
  const parts = agentWithMemory([turn], options);
  if (stored.length > 0) await parts.save(...stored);
  const { model } = parts;
  return {
    ...parts,
    ask: async (question = 'Now?', more: object = {}) => {
      const { text } = await parts.agent.generateText(question, { ...parts.options, ...more });
      return text;
    },
    summaryCalls: () => model.calls.filter(isSummaryCall),
    lines: () => parts.promptLines().map((line) => line.replace(/\.{3,}$/, '')),
  };
}

const note = expect.stringMatching(/^user: What was said before[^]*Notes\.$/);
const newest = ['user: Question 18', 'assistant: Answer 18', 'user: Question 19', 'assistant: Answer 19'];

describe('a prompt that the model refuses as too long', () => {
  it('is compacted, although the estimate allows it, and sent once more', async () => {
    const { ask, lines, model, stored, summaryCalls } = await setUp(reading(8000));

    expect(await ask()).toBe('It fits.');

    expect(model.calls).toHaveLength(3);
    expect(summaryCalls()).toHaveLength(1);
    expect(lines()).toEqual([note, ...newest, 'user: Now?']);
    expect((await stored()).filter(({ role }) => role === 'system')).toHaveLength(1);
  });

  it('is answered in each later turn, and summarised further', async () => {
    const { ask, lines, stored } = await setUp(reading(8000));

    for (let turn = 0; turn < 12; turn += 1) expect(await ask(words('More?'))).toBe('It fits.');

    expect(lines()[0]).toEqual(note);
    const summaries = (await stored()).filter(({ role }) => role === 'system');
    expect(summaries.length).toBeGreaterThan(1);
  });

  it.each([
    ['cannot be made', { error: new Error('down') }],
    ['is too long itself', { error: tooLong }],
    ['is empty', ' '],
  ] as const)('loses its oldest exchanges if the summary %s', async (_why, summary) => {
    const { ask, lines, stored } = await setUp((call, index) =>
      isSummaryCall(call) ? summary : index === 0 ? { error: tooLong } : 'It fits.',
    );

    expect(await ask()).toBe('It fits.');
    expect(lines()).toEqual([...newest, 'user: Now?']);
    expect(await stored()).toHaveLength(42);
  });

  it('loses its oldest exchanges in a run that only reads', async () => {
    const { ask, lines, stored } = await setUp(reading(8000));

    expect(await ask('Now?', { memory: { options: { readOnly: true } } })).toBe('It fits.');
    expect(lines()).toEqual([...newest, 'user: Now?']);
    expect(await stored()).toHaveLength(40);
  });

  it('begins with the summary before it, which the new one replaces', async () => {
    const { ask, lines } = await setUp(reading(8000), { compaction: { afterTokens: 2000, keep: 2 } });
    expect(await ask()).toBe('It fits.');
    expect(lines()[0]).toEqual(note);
    expect(lines().filter((line) => line.startsWith('user: What was said before'))).toHaveLength(1);
  });

  it('keeps its question, its summary and its answer when it is answered again', async () => {
    const { ask, stored, agent, options } = await setUp(reading(8000));
    const question = { id: 'now', role: 'user', parts: [{ type: 'text', text: 'Now?' }] } as const;
    await agent.generateText([{ ...question, parts: [...question.parts] }], options);

    await agent.generateText([{ ...question, parts: [...question.parts] }], { ...options, resend: 'regenerate' });

    const messages = await stored();
    expect(messages.filter(({ role }) => role === 'system')).not.toEqual([]);
    expect(messages.filter(({ id }) => id === 'now')).toHaveLength(1);
    expect(messages.at(-1)).toMatchObject({ role: 'assistant' });
    expect(await ask()).toBe('It fits.');
  });

  it('is sent to a fallback model that reads it, before anything is left out', async () => {
    const small = createScriptedModel([reading(8000)], { modelId: 'small' });
    const large = createScriptedModel(['I read it all.'], { modelId: 'large' });
    const { ask } = await setUp('unused', { compaction, model: [small, large] });

    expect(await ask()).toBe('I read it all.');
    expect([small.calls.length, large.calls.length]).toEqual([1, 1]);
    expect(large.calls[0]?.prompt).toHaveLength(41);
  });

  it('is shortened if the fallback model fails for another reason', async () => {
    const small = createScriptedModel([reading(8000)], { modelId: 'small' });
    const down = createScriptedModel([{ error: new Error('down') }], { modelId: 'down' });
    const { ask } = await setUp('unused', { compaction, model: [small, down] });

    expect(await ask()).toBe('It fits.');
  });

  it('is shortened in a stream, which has one answer and says that a summary was made', async () => {
    const { agent, options } = await setUp(reading(8000));

    const events = await collectEvents(await agent.streamText('Now?', options));

    const types = events.map(({ type }) => type);
    expect(types).toContain('summary');
    expect(types.filter((type) => type === 'start-step')).toHaveLength(1);
    expect(types.at(-1)).toBe('finish');
  });

  it('loses the results of earlier tool calls in a step that is too long', async () => {
    const read = createTool({
      name: 'read',
      description: 'Reads',
      input: Type.Object({}),
      execute: () => 'page '.repeat(400),
    });
    const turn = reading(8000, ({ prompt }) =>
      prompt.filter(({ role }) => role === 'tool').length < 6
        ? { toolCalls: [{ toolName: 'read', input: {} }] }
        : 'Done.',
    );
    const { ask } = await setUp(turn, { compaction, tools: [read] }, []);

    expect(await ask('Read six pages.')).toBe('Done.');
  });

  it('fails when nothing can be left out, and marks no older message', async () => {
    const { ask, model } = await setUp(reading(8000), { compaction }, []);

    await expect(ask('word '.repeat(3000))).rejects.toMatchObject({
      code: 'PROMPT_TOO_LONG',
      message: expect.stringContaining('also without the older messages'),
      cause: tooLong,
    });
    expect(model.calls).toHaveLength(1);
  });

  it('fails when the shorter one is too long as well', async () => {
    const { ask, model, summaryCalls } = await setUp({ error: tooLong });

    await expect(ask()).rejects.toMatchObject({ code: 'PROMPT_TOO_LONG' });
    expect(model.calls.length - summaryCalls().length).toBe(2);
  });

  it('fails without compaction with an error that names it', async () => {
    const { ask, model } = await setUp({ error: tooLong }, {});

    await expect(ask()).rejects.toMatchObject({
      code: 'PROMPT_TOO_LONG',
      kind: 'failed',
      message: expect.stringMatching(/agent "a" refused the prompt as too long\. .*`compaction`/),
    });
    expect(model.calls).toHaveLength(1);
  });
});

it('a file that makes the prompt too long is a note in later turns', async () => {
  const hasFile = ({ prompt }: ModelCallOptions): boolean => JSON.stringify(prompt).includes('"type":"file"');
  const { agent, ask, options } = await setUp((call) => (hasFile(call) ? { error: tooLong } : 'It fits.'), {}, []);
  const url = 'data:application/pdf;base64,AAAA';
  const parts = [{ type: 'file', mediaType: 'application/pdf', url, filename: 'all.pdf' } as const];

  await expect(agent.generateText([{ role: 'user', parts }], options)).rejects.toMatchObject({
    code: 'PROMPT_TOO_LONG',
  });
  expect(await ask()).toBe('It fits.');
});
