import { describe, expect, it } from 'vitest';
import type { InputUIMessage, ModelMessage } from '../../model/messages/message.ts';
import { InputCheck } from './input-check.ts';
import type { InputText, Processor } from './processor.ts';
import { bindProcessor } from './testing/bind-processor.ts';

/** Replaces `secret` by stars. */
function stars() {
  const seen: InputText[] = [];
  const processor: Processor = {
    name: 'stars',
    processInput: (input) => {
      seen.push(input);
      return { action: 'modify', text: input.text.replaceAll('secret', '***') };
    },
  };
  return { check: new InputCheck([bindProcessor(processor)]), seen };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the check of the input', () => {
  it('returns everything as it is without a processor of input', async () => {
    const check = new InputCheck([
      bindProcessor({ name: 'output', processOutput: () => ({ action: 'block', reason: '' }) }),
    ]);
    expect(check.isNeeded).toBe(false);
    const [responses, messages] = [[{ output: 'secret' }], [{ role: 'user' as const, content: 'secret' }]];
    const fetchFile = async () => ({ data: 'secret', mediaType: 'text/plain' });
    expect(await check.responses(responses)).toBe(responses);
    expect(await check.messages(messages)).toBe(messages);
    expect(check.files(fetchFile)).toBe(fetchFile);
  });

  it('checks the texts of responses, and keeps the fields that are not there', async () => {
    const { check, seen } = stars();
    const responses = [
      { toolCallId: 'secret', errorText: 'secret 1', output: undefined },
      { toolCallId: 'b', output: { at: 'secret 2' } },
      { approvalId: 'c', reason: 'secret 3' },
    ];
    expect(await check.responses(responses)).toEqual([
      { toolCallId: 'secret', errorText: '*** 1', output: undefined },
      { toolCallId: 'b', output: { at: '*** 2' } },
      { approvalId: 'c', reason: '*** 3' },
    ]);
    expect([...new Set(seen.map(({ source }) => source))]).toEqual(['tool']);
  });

  it('reads the texts of a message as one, and leaves the others to their kind', async () => {
    const { check, seen } = stars();
    const message: InputUIMessage = {
      role: 'user',
      parts: [
        { type: 'text', text: 'sec' },
        { type: 'reasoning', text: 'secret' },
        { type: 'text', text: 'ret' },
      ],
    };
    expect(await check.messages([message])).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'text', text: '***' },
          { type: 'reasoning', text: 'secret' },
          { type: 'text', text: '' },
        ],
      },
    ]);
    expect(seen[0]).toEqual({ text: 'secret', source: 'user' });
  });

  it('checks the results, errors and reasons in messages of a chat', async () => {
    const { check } = stars();
    const call = { type: 'tool-look' as const, toolCallId: 'c', input: { kept: 'secret' } };
    const approval = (word: string) => ({ id: 'secret', approved: false as const, reason: `no ${word}` });
    const parts = (word: string): InputUIMessage['parts'] => [
      { ...call, state: 'output-available', output: { at: word } },
      { ...call, state: 'output-error', errorText: `a ${word}` },
      { ...call, state: 'output-denied', approval: approval(word) },
    ];
    const message = (word: string): InputUIMessage => ({ role: 'assistant', parts: parts(word) });
    expect(await check.messages([message('secret')])).toEqual([message('***')]);
  });

  it('checks results and reasons in messages of a model', async () => {
    const { check, seen } = stars();
    const message = (word: string): ModelMessage => ({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'json', value: { at: word } } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'look', output: { type: 'execution-denied', reason: word } },
        { type: 'tool-approval-response', approvalId: 'secret', approved: false, reason: word },
      ],
    });
    expect(await check.messages([message('secret')])).toEqual([message('***')]);
    expect([...new Set(seen.map(({ source }) => source))]).toEqual(['tool']);
  });

  it('turns a list of contents into a text where only all of it together is refused', async () => {
    const processor: Processor = {
      name: 'whole',
      processInput: ({ text }) => ({ action: 'modify', text: text.includes('\n') ? 'refused' : text }),
    };
    const check = new InputCheck([bindProcessor(processor)]);
    const value = [
      { type: 'text' as const, text: 'a' },
      { type: 'text' as const, text: 'b' },
    ];
    const result = (output: object): ModelMessage =>
      ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output }] }) as ModelMessage;
    expect(await check.messages([result({ type: 'content', value })])).toEqual([
      result({ type: 'text', value: 'refused' }),
    ]);
    const json = { type: 'json', value: { a: 'a', b: 'b' } };
    expect(await check.messages([result(json)])).toEqual([result({ ...json, value: 'refused' })]);
  });

  it('checks text files with their data or text, and no others', async () => {
    const { check, seen } = stars();
    const message = (mediaType: string, data: string | object): ModelMessage =>
      ({ role: 'user', content: [{ type: 'file', mediaType, data }] }) as ModelMessage;
    const text = { type: 'text', text: 'a secret' };
    const same = [
      message('image/png', base64('a secret')),
      message('text/plain', 'https://x.example/secret'),
      { role: 'user', content: [{ type: 'file', data: base64('a secret') }] } as unknown as ModelMessage,
    ];
    expect(
      await check.messages([message('text/plain', base64('a secret')), message('text/plain', text), ...same]),
    ).toEqual([message('text/plain', base64('a ***')), message('text/plain', { ...text, text: 'a ***' }), ...same]);
    expect(seen.map(({ source }) => source)).toEqual(['file', 'file']);
  });

  it.each([
    ['text/plain', 'image/png', true],
    ['image/png', 'text/plain', true],
    ['image/png', 'image/png', false],
  ])('reads a file that is fetched as %s and arrives as %s: %#', async (asked, received, isRead) => {
    const { check, seen } = stars();
    const files = check.files(async () => ({ data: base64('a secret'), mediaType: received }));
    expect(await files('https://x.example', asked)).toEqual({
      data: base64(isRead ? 'a ***' : 'a secret'),
      mediaType: received,
    });
    expect(seen).toEqual(isRead ? [{ text: 'a secret', source: 'file' }] : []);
  });

  it('does not read a file that the model fetches', async () => {
    const { check } = stars();
    const passedOn = { passedOn: new URL('https://x.example') };
    expect(await check.files(async () => passedOn)('https://x.example', 'text/plain')).toBe(passedOn);
  });
});
