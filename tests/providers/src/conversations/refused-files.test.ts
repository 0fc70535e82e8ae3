import { Agent, createMemory, createTool } from '@halyard/core';
import type { InputUIMessage } from '@halyard/core/server';
import { silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { providers } from '../parity/providers.ts';
import type { ReplyScript, RecordedRequest } from '../wire/index.ts';
import { fileRefusal } from './refusals.ts';

const apis = ['OpenAI Responses, stored', 'OpenAI Chat', 'Anthropic', 'Google', 'OpenAI-compatible'] as const;

const damaged = btoa('damaged');

/** The providers refuse the damaged files; their packages have no form for some of the others. */
const files = {
  'a damaged image': { mediaType: 'image/png', data: damaged, filename: 'photo.png' },
  'a damaged PDF': { mediaType: 'application/pdf', data: damaged, filename: 'report.pdf' },
  'a table': { mediaType: 'text/csv', data: btoa('a,b'), filename: 'table.csv' },
  'a Markdown file': { mediaType: 'text/markdown', data: btoa('# a'), filename: 'notes.md' },
  'an archive': { mediaType: 'application/zip', data: btoa('PK'), filename: 'all.zip' },
  'a video': { mediaType: 'video/mp4', data: btoa('mp4'), filename: 'clip.mp4' },
} as const;

type GivenFile = (typeof files)[keyof typeof files];

describe.each(apis)('on %s', (api) => {
  it.each(Object.entries(files))('the conversation goes on after %s in a question', async (_kind, file) => {
    const { filename, mediaType, data } = file;
    const url = `data:${mediaType};base64,${data}`;
    const first = [{ type: 'file', mediaType, url, filename } as const, { type: 'text', text: 'What is it?' } as const];

    const { requests, stored, texts } = await goOn(api, file, { id: '1', role: 'user', parts: first });

    expect(texts.slice(1)).toEqual(['Fine.', 'Fine.', 'Fine.']);
    for (const request of requests) expect(isNoted(request, file)).toBe(texts[0] === 'failed');
    expect(stored[0]?.parts[0]).toMatchObject({ type: 'file', url, filename });
  });

  it.each(Object.entries(files))('the conversation goes on after a tool has returned %s', async (_kind, file) => {
    const first: InputUIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'Look.' }] };

    const { requests, texts } = await goOn(api, file, first, { toolCalls: [{ name: 'look', input: {} }] });

    expect(texts.slice(1)).toEqual(['Fine.', 'Fine.', 'Fine.']);
    for (const request of requests) expect(isNoted(request, file)).toBe(texts[0] === 'failed');
  });
});

/**
 * The first question, two others, and the last of these again. @returns the answers, and the
 * requests after the first question.
 */
async function goOn(
  api: (typeof apis)[number],
  { data, filename, mediaType }: GivenFile,
  first: InputUIMessage,
  opening?: ReplyScript,
) {
  const { model, open, providerOptions } = providers[api];
  await using wire = await open();
  const refuse = fileRefusal(damaged);
  if (opening !== undefined) wire.reply(opening);
  wire.replyAlways((request) => {
    const why = refuse(request);
    return why === undefined ? { text: 'Fine.' } : { status: 400, message: why };
  });
  const look = createTool({
    name: 'look',
    description: 'Looks',
    input: Type.Object({}),
    execute: () => ({}),
    toModelOutput: () => ({
      type: 'content',
      value: [{ type: 'file', mediaType, filename, data: { type: 'data', data } }],
    }),
  });
  const memory = createMemory({ titles: false });
  const agent = new Agent({
    id: 'a',
    model: model(wire.baseURL),
    memory,
    tools: [look],
    generation: { ...unset, providerOptions },
    retries: { maxRetries: 0 },
  });
  const options = { userId: 'u', conversationId: 'c', services: { logger: silentLogger } };
  const ask = async (message: InputUIMessage, more: object = {}): Promise<string> =>
    agent.generateText([message], { ...options, ...more }).then(
      ({ text }) => text,
      () => 'failed',
    );
  const texts = [await ask(first)];
  const before = wire.requests.length;
  texts.push(await ask(question('2')), await ask(question('3')), await ask(question('3'), { resend: 'regenerate' }));
  const { messages } = await memory.messages({ user: 'u' }, 'c', { limit: 10 });
  return { texts, requests: wire.requests.slice(before), stored: messages };
}

const question = (id: string): InputUIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text: `Question ${id}` }],
});

function isNoted({ body }: RecordedRequest, { filename }: GivenFile): boolean {
  // Some APIs have the contents of a tool as JSON within JSON.
  return JSON.stringify(body).replaceAll('\\', '').includes(`[The file "${filename}" cannot be read by this model.]`);
}
