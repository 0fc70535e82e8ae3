import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { MessagePart } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import type { AgentOptions, RunOptions } from '../agent/agent-options.ts';
import { Agent } from '../agent/agent.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import type { InputUIMessage } from '../model/messages/message.ts';
import type { ModelCallOptions, Prompt } from '../model/providers/model-port.ts';
import { createScriptedModel, type ScriptedReply } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const badImage = new APICallError({
  message: 'Could not process image',
  statusCode: 400,
  url: '',
  requestBodyValues: {},
});
const badRequest = new APICallError({ message: 'Invalid request', statusCode: 400, url: '', requestBodyValues: {} });
const overloaded = new APICallError({ message: 'Overloaded', statusCode: 529, url: '', requestBodyValues: {} });
const unsupported = new UnsupportedFunctionalityError({ functionality: 'media type: text/csv' });

const file = (name: string): MessagePart => ({
  type: 'file',
  mediaType: 'image/png',
  url: `data:image/png;base64,${Buffer.from(name).toString('base64')}`,
  filename: `${name}.png`,
});

const message = (id: string, ...files: readonly string[]): InputUIMessage => ({
  id,
  role: 'user',
  parts: [...files.map(file), { type: 'text', text: `Question ${id}` }] as InputUIMessage['parts'],
});

/** The files of a prompt by their contents, and the notes for others. */
function filesIn(prompt: Prompt): readonly string[] {
  return prompt.flatMap(({ content }) => (typeof content === 'string' ? [] : content.flatMap(fileIn)));
}

function fileIn(part: Exclude<Prompt[number]['content'], string>[number]): readonly string[] {
  if (part.type === 'tool-result') return part.output.type === 'content' ? part.output.value.flatMap(nameOf) : [];
  return nameOf(part);
}

function nameOf(item: { readonly type: string; readonly text?: string; readonly data?: unknown }): readonly string[] {
  const { data } = item;
  if (typeof data === 'object' && data !== null && 'data' in data)
    return [Buffer.from(String(data.data), 'base64').toString()];
  const note = /^\[The file "(.*)" cannot be read by this model\.\]$/.exec(item.text ?? '');
  return note === null ? [] : [`note ${note[1] ?? ''}`];
}

/** Throws `error` for prompts with one of these files. */
const refusing =
  (names: readonly string[], error: Error = badImage): ScriptedReply =>
  ({ prompt }: ModelCallOptions) =>
    filesIn(prompt).some((name) => names.includes(name)) ? { error } : 'Fine.';

const screenshot = createTool({
  name: 'screenshot',
  description: 'Takes a screenshot',
  input: Type.Object({}),
  execute: () => ({}),
  toModelOutput: () => ({
    type: 'content',
    value: [
      { type: 'file', mediaType: 'image/png', filename: 'shot.png', data: { type: 'data', data: btoa('shot') } },
      { type: 'text', text: 'The screen.' },
    ],
  }),
});

function setUp(turns: readonly [ScriptedReply, ...ScriptedReply[]], options: Partial<AgentOptions> = {}) {
  const parts = agentWithMemory(turns, { retries: { maxRetries: 0, initialDelayMs: 0 }, ...options });
  const ask = async (asked: InputUIMessage, more: Partial<RunOptions> = {}, agent: Agent = parts.agent) =>
    agent.generateText([asked], { ...parts.options, ...more }).then(
      ({ text }) => text,
      () => 'failed',
    );
  return { ...parts, ask, sent: () => filesIn(parts.model.calls.at(-1)?.prompt ?? []) };
}

describe('a file that the model has refused', () => {
  it.each([
    ['status 400', badImage],
    ['status 413', Object.assign(new Error('Too large'), { statusCode: 413 })],
    ['an error of the provider package', unsupported],
    ['an error in the stream', { message: 'Bad image', type: 'BadRequestError', code: 400 }],
  ])('is a note in later turns: %s', async (_how, error) => {
    const { ask, sent, stored } = setUp([refusing(['bad'], error as Error)]);

    expect([await ask(message('1', 'bad')), await ask(message('2')), await ask(message('3'))]).toEqual([
      'failed',
      'Fine.',
      'Fine.',
    ]);
    expect(sent()).toEqual(['note bad.png']);
    // Readers still see it.
    expect((await stored())[0]?.parts[0]).toMatchObject(file('bad'));
  });

  it('does not take the files of answered questions with it', async () => {
    const { ask, sent } = setUp([refusing(['bad'])]);

    await ask(message('1', 'good'));
    await ask(message('2', 'bad'));
    await ask(message('3', 'fine'));

    expect(sent()).toEqual(['good', 'note bad.png', 'fine']);
  });

  it('is the reason although the question failed for another one before', async () => {
    const { ask, sent } = setUp([{ error: overloaded }, refusing(['bad'])]);

    await ask(message('1', 'bad'));
    expect([await ask(message('2')), await ask(message('3'))]).toEqual(['failed', 'Fine.']);

    expect(sent()).toEqual(['note bad.png']);
  });

  it('is a note when messages are written only at the end of a turn', async () => {
    const { ask, sent } = setUp([refusing(['bad'])]);
    const memory = { options: { conversationPersistence: { mode: 'finish' } } } as const;

    await ask(message('1', 'bad'), { memory });
    expect(await ask(message('2'), { memory })).toBe('Fine.');

    expect(sent()).toEqual(['note bad.png']);
  });

  it('is sent again when its question is asked again', async () => {
    const { ask, sent, stored } = setUp([{ error: badImage }, 'Fine.']);
    await ask(message('1', 'picture'));

    expect(await ask(message('1', 'picture'), { resend: 'regenerate' })).toBe('Fine.');
    expect(sent()).toEqual(['picture']);
    await ask(message('2'));
    expect(sent()).toEqual(['picture']);
    expect(JSON.stringify(await stored())).not.toContain('refusedBy');
  });

  it('is sent again when its question arrives a second time', async () => {
    const { ask, sent } = setUp([{ error: badImage }, 'Fine.']);
    await ask(message('1', 'picture'));

    expect(await ask(message('1', 'picture'))).toBe('Fine.');
    expect(sent()).toEqual(['picture']);
    await ask(message('2'));
    expect(sent()).toEqual(['picture']);
  });

  it('is a note when a later question is answered again', async () => {
    const { ask, sent } = setUp([refusing(['bad'])]);
    await ask(message('1', 'bad'));
    await ask(message('2'));

    expect(await ask(message('2'), { resend: 'regenerate' })).toBe('Fine.');
    expect(sent()).toEqual(['note bad.png']);
  });

  it('is refused in a question that was edited, and replaced by one that is not', async () => {
    const { ask, sent } = setUp([refusing(['bad', 'worse'])]);
    await ask(message('1', 'bad'));

    expect(await ask(message('1', 'worse'), { resend: 'edit' })).toBe('failed');
    expect(await ask(message('1', 'good'), { resend: 'edit' })).toBe('Fine.');
    await ask(message('2'));
    expect(sent()).toEqual(['good']);
  });

  it('is left where it is when the turn only reads the conversation', async () => {
    const { ask, save, stored } = setUp([refusing(['bad'])]);
    await save({ id: '0', role: 'user', parts: [file('bad')] });

    await ask(message('1'), { memory: { options: { readOnly: true } } });

    expect(await stored()).toMatchObject([{ parts: [file('bad')] }]);
    expect(JSON.stringify(await stored())).not.toContain('refusedBy');
  });

  it('stays deleted when it was deleted during the request', async () => {
    const parts = setUp([
      async () => {
        await parts.storage.conversations.deleteMessages('anyone', 'c1', ['0']);
        return { error: badImage };
      },
      'Fine.',
    ]);
    await parts.save({ id: '0', role: 'user', parts: [file('bad')] });

    await parts.ask(message('1'));

    expect((await parts.stored()).map(({ id }) => id)).toEqual(['1']);
  });
});

describe('files that a model has read', () => {
  it('stay when a later turn without files fails with status 400', async () => {
    const { ask, sent } = setUp(['Fine.', { error: badRequest }, 'Fine.']);

    await ask(message('1', 'good'));
    await ask(message('2'));
    expect(await ask(message('3'))).toBe('Fine.');

    expect(sent()).toEqual(['good']);
  });

  it.each([
    [400, 'Error while downloading file. Upstream status code: 404.'],
    [400, 'Unable to download the file. Please verify the URL and try again.'],
    [400, 'Invalid content type. image_url is only supported by certain models.'],
    [404, 'No such File object: file-123'],
    [422, 'This model does not support image input'],
    [400, 'messages.0.content must be a string'],
  ])('become notes when a later turn fails with %s because of one: %s', async (statusCode, text) => {
    const error = new APICallError({ message: text, statusCode, url: '', requestBodyValues: {} });
    const { ask, sent } = setUp(['Fine.', { error }, 'Fine.']);

    await ask(message('1', 'good'));
    expect(await ask(message('2'))).toBe('failed');
    expect(await ask(message('3'))).toBe('Fine.');

    expect(sent()).toEqual(['note good.png']);
  });

  it('stay when a later step of their turn fails', async () => {
    const { ask, sent } = setUp([{ toolCalls: [{ toolName: 'screenshot', input: {} }] }, refusing(['shot'])], {
      tools: [screenshot],
    });

    expect(await ask(message('1', 'good'))).toBe('failed');
    expect(await ask(message('2'))).toBe('Fine.');

    expect(sent()).toEqual(['good', 'note shot.png']);
  });

  it('stay when they are asked about again, and that fails', async () => {
    const { ask, sent } = setUp(['Fine.', { error: badImage }, 'Fine.']);
    await ask(message('1', 'good'));

    expect(await ask(message('1', 'good'), { resend: 'regenerate' })).toBe('failed');
    await ask(message('2'));

    expect(sent()).toEqual(['good']);
  });

  it.each([
    ['overloaded', overloaded],
    ['a wrong key', new APICallError({ message: 'No', statusCode: 401, url: '', requestBodyValues: {} })],
    ['a bug', new TypeError('x')],
  ])('or that it could not read for another reason are sent again: %s', async (_reason, error) => {
    const { ask, sent } = setUp([{ error }, 'Fine.']);
    await ask(message('1', 'good'));
    await ask(message('2'));
    expect(sent()).toEqual(['good']);
  });

  it('are notes for another model whose package has no form for them', async () => {
    const { agent, ask, memory } = setUp(['Fine.']);
    const other = createScriptedModel([refusing(['table'], unsupported)], { modelId: 'other' });
    const otherAgent = new Agent({ id: 'b', model: other, memory });
    await ask(message('1', 'table'));

    expect(await ask(message('2'), {}, otherAgent)).toBe('failed');
    expect(await ask(message('3'), {}, otherAgent)).toBe('Fine.');
    expect(filesIn(other.calls.at(-1)?.prompt ?? [])).toEqual(['note table.png']);
    expect(await ask(message('4'), {}, agent)).toBe('Fine.');
  });
});

describe('with several models', () => {
  const withFallback = (first: ScriptedReply, second: ScriptedReply, ...later: ScriptedReply[]) => {
    const fallback = createScriptedModel([second, ...later], { modelId: 'fallback' });
    const primary = createScriptedModel([first], { modelId: 'primary' });
    return { ...setUp(['unused'], { model: [primary, fallback] }), primary, fallback };
  };

  it('the fallback model receives a file that the first one has refused, in each turn', async () => {
    const { ask, fallback } = withFallback(refusing(['csv'], unsupported), refusing([]));

    expect([await ask(message('1', 'csv')), await ask(message('2'))]).toEqual(['Fine.', 'Fine.']);
    expect(fallback.calls.map(({ prompt }) => filesIn(prompt))).toEqual([['csv'], ['csv']]);
  });

  it('a file is a note only for the model that has refused it', async () => {
    const { ask, fallback, primary } = withFallback(
      ({ prompt }, index) =>
        index === 2 ? { error: overloaded } : filesIn(prompt)[0] === 'bad' ? { error: badImage } : 'Fine.',
      { error: overloaded },
      'Fine.',
    );

    expect([await ask(message('1', 'bad')), await ask(message('2')), await ask(message('3'))]).toEqual([
      'failed',
      'Fine.',
      'Fine.',
    ]);
    const filesOf = ({ calls }: { readonly calls: readonly ModelCallOptions[] }) =>
      calls.map(({ prompt }) => filesIn(prompt));
    expect(filesOf(primary)).toEqual([['bad'], ['note bad.png'], ['note bad.png']]);
    expect(filesOf(fallback)).toEqual([['bad'], ['bad']]);
  });

  it('a file that each of them has refused in different turns is a note for each', async () => {
    const { ask, fallback, primary } = withFallback(
      ({ prompt }, index) =>
        index >= 2 ? { error: overloaded } : filesIn(prompt)[0] === 'bad' ? { error: badImage } : 'Fine.',
      { error: overloaded },
      refusing(['bad']),
    );
    await ask(message('1', 'bad'));
    await ask(message('2'));

    expect([await ask(message('3')), await ask(message('4'))]).toEqual(['failed', 'Fine.']);
    expect(primary.calls).toHaveLength(4);
    expect(fallback.calls.map(({ prompt }) => filesIn(prompt))).toEqual([['bad'], ['bad'], ['note bad.png']]);
  });
});

describe('an image that a tool has returned', () => {
  it('is a note in later turns if the model refuses it', async () => {
    const { ask, sent, stored } = setUp([{ toolCalls: [{ toolName: 'screenshot', input: {} }] }, refusing(['shot'])], {
      tools: [screenshot],
    });

    expect([await ask(message('1')), await ask(message('2')), await ask(message('3'))]).toEqual([
      'failed',
      'Fine.',
      'Fine.',
    ]);
    expect(sent()).toEqual(['note shot.png']);
    expect((await stored())[1]?.parts).toContainEqual(
      expect.objectContaining({ state: 'output-available', output: {} }),
    );
  });

  it('is a note although the turn failed for another reason at first', async () => {
    const { ask, sent } = setUp(
      [{ toolCalls: [{ toolName: 'screenshot', input: {} }] }, { error: overloaded }, refusing(['shot'])],
      { tools: [screenshot] },
    );

    await ask(message('1', 'good'));
    expect([await ask(message('2')), await ask(message('3'))]).toEqual(['failed', 'Fine.']);
    expect(sent()).toEqual(['good', 'note shot.png']);
  });
});

it('compaction does not send a refused file to the model that summarises', async () => {
  const { ask, save, sent } = setUp([refusing(['bad'])], { compaction: { afterTokens: 300, keep: 1 } });
  await ask(message('1', 'bad'));
  await ask(message('2'));
  await save(textMessage('3', 'user', 'x'.repeat(1200)), textMessage('4', 'assistant', 'y'.repeat(1200)));

  expect([await ask(message('5')), await ask(message('6'))]).toEqual(['Fine.', 'Fine.']);
  expect(sent()).toEqual([]);
});
