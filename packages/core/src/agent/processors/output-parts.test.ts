import { describe, expect, it } from 'vitest';
import type { ModelPart } from '../../model/providers/model-port.ts';
import { OutputParts } from './output-parts.ts';
import type { OutputText, Processor } from './processor.ts';
import { bindProcessor } from './testing/bind-processor.ts';

/** Replaces `secret` by stars, and holds each text of a step until this ends if it is told to. */
function parts({ holds = false, replacement = '***' } = {}) {
  const seen: OutputText[] = [];
  const processor: Processor = {
    name: 'stars',
    processOutput: (output) => {
      seen.push(output);
      const { isComplete } = output;
      const text = output.text.replaceAll('secret', replacement);
      return holds && !isComplete ? { action: 'modify', text: '', hold: text } : { action: 'modify', text };
    },
  };
  return { output: new OutputParts([bindProcessor(processor)]), seen };
}

async function readAll(output: OutputParts, sent: readonly ModelPart[]): Promise<readonly ModelPart[]> {
  const read: ModelPart[] = [];
  for (const part of sent) read.push(...(await output.read(part)));
  return read;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const finish: ModelPart = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } };
const delta = (id: string, text: string): ModelPart => ({ type: 'text-delta', id, delta: text });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the parts of a model call after its output processors', () => {
  it('have the text of the processors, and blocks that end with the step', async () => {
    const { output } = parts();
    const providerMetadata = { test: { kept: true } };
    const sent: ModelPart[] = [
      { type: 'text-start', id: '1' },
      delta('1', 'my secret'),
      { type: 'text-end', id: '1', providerMetadata },
    ];
    expect(await readAll(output, [...sent, finish])).toEqual([
      { type: 'text-start', id: '1' },
      delta('1', 'my ***'),
      { type: 'text-end', id: '1', providerMetadata },
      finish,
    ]);
  });

  it('end blocks that the model did not start or end', async () => {
    const { output } = parts({ holds: true });
    const sent = [delta('1', 'a'), delta('1', 'b')];
    expect(await readAll(output, sent)).toEqual([]);
    expect(await output.read(finish)).toEqual([delta('1', 'ab'), { type: 'text-end', id: '1' }, finish]);
  });

  it('have an id of their own for each block, also where the model repeats one', async () => {
    const { output } = parts();
    const block = (text: string): ModelPart[] => [
      { type: 'text-start', id: '1' },
      delta('1', text),
      { type: 'text-end', id: '1' },
    ];
    expect(await readAll(output, [...block('a'), ...block('b'), { type: 'text-start', id: '2' }, finish])).toEqual([
      { type: 'text-start', id: '1' },
      delta('1', 'a'),
      { type: 'text-start', id: '1:1' },
      delta('1:1', 'b'),
      { type: 'text-start', id: '2' },
      { type: 'text-end', id: '1' },
      { type: 'text-end', id: '1:1' },
      { type: 'text-end', id: '2' },
      finish,
    ]);
  });

  it('pass on blocks that were written in parallel one after another', async () => {
    const { output } = parts();
    const sent = [delta('1', 'a'), delta('2', 'x'), delta('1', 'b'), delta('2', 'y')];
    expect(await readAll(output, sent)).toEqual([delta('1', 'a'), delta('1', 'b')]);
    expect(await output.read({ type: 'text-end', id: '1' })).toEqual([delta('2', 'xy')]);
  });

  it('leave out the end of a block that never started, empty texts and arguments that are being written', async () => {
    const { output } = parts();
    const sent: ModelPart[] = [
      { type: 'text-end', id: 'none' },
      delta('1', ''),
      { type: 'tool-input-delta', id: 'c', delta: '{' },
    ];
    expect(await readAll(output, sent)).toEqual([]);
  });

  it('keep the metadata of a text that is held', async () => {
    const { output } = parts({ holds: true });
    const providerMetadata = { test: { kept: true } };
    expect(await output.read({ type: 'text-delta', id: '1', delta: 'a', providerMetadata })).toEqual([
      { type: 'text-delta', id: '1', delta: '', providerMetadata },
    ]);
  });

  it('have the arguments and results of tools as the processors return them', async () => {
    const { output, seen } = parts();
    const call: ModelPart = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{"at": "secret"}' };
    const plain: ModelPart = { ...call, input: '{ "at":  "home" }' };
    const result: ModelPart = { type: 'tool-result', toolCallId: 'c', toolName: 'look', result: { is: 'secret' } };
    expect(await readAll(output, [call, plain, result])).toEqual([
      { ...call, input: '{"at":"***"}' },
      plain,
      { ...result, result: { is: '***' } },
    ]);
    const sources = ['tool-call', 'tool-result'];
    expect([...new Set(seen.map(({ source }) => source))]).toEqual(sources);
  });

  it('have sources whose title and address passed, without metadata', async () => {
    const { output, seen } = parts();
    const url: ModelPart = { type: 'source', sourceType: 'url', id: 's', url: 'https://x.example/secret', title: 'A' };
    const file: ModelPart = {
      type: 'source',
      sourceType: 'document',
      id: 'd',
      mediaType: 'text/plain',
      title: 'B',
      filename: 'secret.txt',
      providerMetadata: { test: { cited: 'secret' } },
    };
    const { providerMetadata: _, ...shown } = file;
    expect(await readAll(output, [url, file])).toEqual([
      { ...url, url: 'https://x.example/***' },
      { ...shown, filename: '***.txt' },
    ]);
    expect(seen[0]).toEqual({ text: 'title: A\nurl: https://x.example/secret', source: 'source', isComplete: true });
  });

  it('have neither title nor address where only both together are refused', async () => {
    const processor: Processor = {
      name: 'pairs',
      processOutput: ({ text }) => ({ action: 'modify', text: text.includes('\n') ? 'refused' : text }),
    };
    const url: ModelPart = { type: 'source', sourceType: 'url', id: 's', url: 'https://x.example', title: 'A' };
    const file: ModelPart = {
      type: 'source',
      sourceType: 'document',
      id: 'd',
      mediaType: 'text/plain',
      title: 'B',
      filename: 'b.txt',
    };
    expect(await readAll(new OutputParts([bindProcessor(processor)]), [url, file])).toEqual([
      { ...url, url: '', title: '' },
      { ...file, title: '' },
    ]);
  });

  it('have text files as the processors return them, and other files as they are', async () => {
    const { output, seen } = parts();
    const file = (mediaType: string): ModelPart => ({
      type: 'file',
      mediaType,
      data: { type: 'data', data: base64('a secret') },
    });
    const linked: ModelPart = {
      type: 'file',
      mediaType: 'text/plain',
      data: { type: 'url', url: new URL('https://x.example') },
    };
    expect(await readAll(output, [file('text/plain'), file('image/png'), linked])).toEqual([
      { ...file('text/plain'), data: { type: 'data', data: base64('a ***') } },
      file('image/png'),
      linked,
    ]);
    expect(seen).toEqual([{ text: 'a secret', source: 'file', isComplete: true }]);
  });
});
