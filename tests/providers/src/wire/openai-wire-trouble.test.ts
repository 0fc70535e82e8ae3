import { createOpenAI } from '@ai-sdk/openai';
import { APICallError } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from './openai-wire.ts';
import { ask, deltasOf, partsOf, readParts } from './reading.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

describe.each(['responses', 'chat'] as const)('failures on the %s API', (api) => {
  function model() {
    const openai = createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' });
    return api === 'chat' ? openai.chat('gpt-4.1') : openai('gpt-4.1');
  }

  async function streamParts() {
    return readParts((await model().doStream(ask('Hi'))).stream);
  }

  describe('error statuses', () => {
    it.each(['doStream', 'doGenerate'] as const)(
      'replies with 429 and its retry-after header to %s',
      async (method) => {
        wire.reply({ status: 429, retryAfter: 3 });

        const failure: unknown = await Promise.resolve<unknown>(model()[method](ask('Hi'))).catch(
          (error: unknown) => error,
        );

        expect(APICallError.isInstance(failure)).toBe(true);
        expect(failure).toMatchObject({
          statusCode: 429,
          isRetryable: true,
          message: 'Rate limit reached for requests.',
          responseHeaders: { 'retry-after': '3', 'x-request-id': 'req_1' },
          data: { error: { code: 'rate_limit_exceeded' } },
        });
      },
    );

    it.each([
      { status: 401, isRetryable: false, code: 'invalid_api_key' },
      { status: 500, isRetryable: true, code: null },
    ])('gives $status with the error body of the provider', async ({ status, isRetryable, code }) => {
      wire.reply({ status });

      await expect(model().doStream(ask('Hi'))).rejects.toMatchObject({
        statusCode: status,
        isRetryable,
        data: { error: { code } },
      });
    });

    it('sends the error of the script in the body', async () => {
      wire.reply({ status: 400, message: 'Too long.', code: 'context_length_exceeded', headers: { 'x-more': 'yes' } });

      await expect(model().doGenerate(ask('Hi'))).rejects.toMatchObject({
        message: 'Too long.',
        data: { error: { code: 'context_length_exceeded' } },
        responseHeaders: { 'x-more': 'yes' },
      });
    });
  });

  describe('aborts', () => {
    it('notices that the client disconnected from an endless stream', async () => {
      wire.reply({ text: ['Hel', 'lo'], fault: { kind: 'hang', afterChunks: 1 } });
      const client = new AbortController();
      const { stream } = await model().doStream(ask('Hi', { abortSignal: client.signal }));

      const seen: string[] = [];
      const reading = (async () => {
        for await (const part of stream) {
          if (part.type !== 'text-delta' || part.delta === '') continue;
          seen.push(part.delta);
          client.abort();
        }
      })();

      await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
      const request = await wire.request(0);
      await request.ended;
      expect(request.aborted).toBe(true);
      expect(seen).toEqual(['Hel']);
    });

    it('notices that the client disconnected before the answer', async () => {
      wire.reply({ noAnswer: 'hang' });
      const client = new AbortController();
      const waiting = model().doGenerate(ask('Hi', { abortSignal: client.signal }));
      const request = await wire.request(0);
      expect(request.aborted).toBe(false);

      client.abort();

      await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
      await request.ended;
      expect(request.aborted).toBe(true);
    });

    it('does not report answers as aborted that the server interrupted or closed', async () => {
      wire.reply({ noAnswer: 'destroy' }, { noAnswer: 'hang' });
      await expect(model().doGenerate(ask('Hi'))).rejects.toThrow('Cannot connect to API');
      const waiting = Promise.resolve(model().doGenerate(ask('Hi'))).catch((error: unknown) => error);
      const [first, second] = [await wire.request(0), await wire.request(1)];

      await wire.close();

      expect(APICallError.isInstance(await waiting)).toBe(true);
      await Promise.all([first.ended, second.ended]);
      expect([first.aborted, second.aborted]).toEqual([false, false]);
    });
  });

  describe('broken answers', () => {
    it('interrupts a stream after the client has read a part of it', async () => {
      wire.reply({ text: ['Hel', 'lo'], fault: { kind: 'hang', afterChunks: 1 } });
      const { stream } = await model().doStream(ask('Hi'));

      const seen: string[] = [];
      const reading = (async () => {
        for await (const part of stream) {
          if (part.type !== 'text-delta' || part.delta === '') continue;
          seen.push(part.delta);
          wire.requests[0]?.breakOff();
        }
      })();

      await expect(reading).rejects.toThrow('Failed to process successful response');
      expect(seen).toEqual(['Hel']);
    });

    it('interrupts a stream as scripted', async () => {
      wire.reply({ text: 'Hello, world', fault: { kind: 'destroy', afterChunks: 1 } });

      // The call or the stream fails, depending on how much the client has read.
      const outcome = await streamParts().catch((error: unknown) => [{ type: 'error' as const, error }]);

      expect(partsOf(outcome, 'finish')).toEqual([]);
      expect(partsOf(outcome, 'error')).toHaveLength(1);
    });

    it('interrupts an answer that does not stream', async () => {
      wire.reply({ text: 'Hello', fault: { kind: 'destroy' } }, { text: 'Hello', fault: { kind: 'malformed' } });

      await expect(model().doGenerate(ask('Hi'))).rejects.toThrow('Failed to process successful response');
      await expect(model().doGenerate(ask('Hi'))).rejects.toThrow('Invalid JSON response');
    });

    it('inserts a malformed line into a stream, which causes an error part', async () => {
      wire.reply({ text: ['Hel', 'lo'], fault: { kind: 'malformed', afterChunks: 1 } });

      const parts = await streamParts();

      expect(deltasOf(parts, 'text-delta')).toEqual(['Hel', 'lo']);
      expect(partsOf(parts, 'error')).toMatchObject([{ error: { name: 'AI_JSONParseError' } }]);
    });

    it('reports a failure inside a stream', async () => {
      wire.reply({
        text: ['Hel', 'lo'],
        fault: { kind: 'error-event', afterChunks: 1, error: { message: 'Overloaded.', code: 'server_error' } },
      });

      const parts = await streamParts();

      expect(deltasOf(parts, 'text-delta')).toEqual(['Hel']);
      expect(partsOf(parts, 'error')).toMatchObject([{ error: { message: 'Overloaded.', code: 'server_error' } }]);
      expect(partsOf(parts, 'finish')).toMatchObject([{ finishReason: { unified: 'error' } }]);
    });

    it('reports a failure before any output, which rejects the call', async () => {
      wire.reply({
        text: 'Hello',
        fault: { kind: 'error-event', afterChunks: 0, error: { code: 'rate_limit_exceeded' } },
      });

      await expect(model().doStream(ask('Hi'))).rejects.toMatchObject({ name: 'AI_APICallError', statusCode: 429 });
    });

    it('answers a request that does not stream with the status of a failure', async () => {
      wire.reply({ text: 'Hello', fault: { kind: 'error-event', error: { message: 'Overloaded.' } } });

      await expect(model().doGenerate(ask('Hi'))).rejects.toMatchObject({ statusCode: 500, message: 'Overloaded.' });
    });
  });
});
