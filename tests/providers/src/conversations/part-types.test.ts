import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/**
 * The parts that the installed provider packages send. After an update that fails here, decide in
 * core's `model/content.ts` whether the new part is content of a reply, then add it.
 */
const streamParts = [
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
  'tool-input-start',
  'tool-input-delta',
  'tool-input-end',
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'source',
  'custom',
  'stream-start',
  'response-metadata',
  'finish',
  'ping',
  'raw',
  'error',
];

/** Parts of streams of speech and transcription models, in the same packages. */
const otherStreams = [
  'audio',
  'output-text-delta',
  'output-text-final',
  'source-transcript-delta',
  'source-transcript-final',
  'transcript-delta',
  'transcript-final',
  'transcript-partial',
  'continuation-start',
];

const customKinds: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['anthropic.container_upload', 'anthropic.fallback', 'anthropic.message_start'],
  google: ['google.processing_call', 'google.processing_result'],
  openai: ['openai.compaction'],
  'openai-compatible': [],
};

describe.each(Object.keys(customKinds))('@ai-sdk/%s', (name) => {
  const code = readFile(fileURLToPath(import.meta.resolve(`@ai-sdk/${name}`)), 'utf8');

  it('sends no part of an unknown type', async () => {
    const sent = found(await code, /enqueue\(\{\s*type: "([^"]+)"/g);

    expect(sent).toContain('text-delta');
    expect(sent.filter((type) => !streamParts.includes(type) && !otherStreams.includes(type))).toEqual([]);
  });

  it('sends no custom part of an unknown kind', async () => {
    expect(found(await code, /type: "custom",\s*kind: "([^"]+)"/g)).toEqual(customKinds[name]);
  });
});

function found(code: string, pattern: RegExp): readonly string[] {
  return [...new Set([...code.matchAll(pattern)].flatMap(([, value = '']) => value))].toSorted();
}
