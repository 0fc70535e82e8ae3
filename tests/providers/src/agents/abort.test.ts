import { Agent } from '@halyard/core';
import { collectEvents, silentLogger } from '@halyard/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';
import { openaiApis, openaiModel, unset } from './openai-models.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const services = { logger: silentLogger };
const unfinished = { text: ['Hel', 'lo'], fault: { kind: 'hang', afterChunks: 1 } } as const;

describe.each(openaiApis)('aborts on the %s API', (api) => {
  const agent = () => new Agent({ id: 'assistant', model: openaiModel(api, wire), generation: unset });

  /** The provider never ends these answers itself. */
  async function expectAborted() {
    const request = await wire.request(0);
    await request.ended;
    expect(request.aborted).toBe(true);
    expect(wire.requests).toHaveLength(1);
  }

  it.each([
    { when: 'before any answer', script: { noAnswer: 'hang' } as const },
    { when: 'in the middle of the body', script: { text: 'Hello', fault: { kind: 'hang' } } as const },
  ])('reach the provider when nothing streams, $when', async ({ script }) => {
    wire.reply(script);
    const caller = new AbortController();
    const failure = agent()
      .generateText('Hi', { signal: caller.signal, services })
      .catch((error: unknown) => error);
    await wire.request(0);
    caller.abort();

    expect(await failure).toMatchObject({ code: 'ABORTED' });
    await expectAborted();
  });

  it('reach the provider from the signal of a stream', async () => {
    wire.reply(unfinished);
    const caller = new AbortController();
    const stream = await agent().streamText('Hi', { signal: caller.signal, services });

    const types: string[] = [];
    for await (const { type } of stream) {
      types.push(type);
      if (type !== 'text-delta') continue;
      caller.abort();
    }

    expect(types).toEqual(['start', 'start-step', 'text-start', 'text-delta', 'abort']);
    await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
    await expectAborted();
  });

  it('reach the provider when the reader stops reading', async () => {
    wire.reply(unfinished);
    const stream = await agent().streamText('Hi', { services });

    for await (const { type } of stream) if (type === 'text-delta') break;

    await expectAborted();
    await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('reach the provider before the first token of a stream', async () => {
    wire.reply({ noAnswer: 'hang' });
    const caller = new AbortController();
    const stream = await agent().streamText('Hi', { signal: caller.signal, services });
    await wire.request(0);
    caller.abort();

    expect((await collectEvents(stream)).at(-1)).toEqual({ type: 'abort' });
    await expectAborted();
  });
});
