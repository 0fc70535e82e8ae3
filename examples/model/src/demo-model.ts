import { setTimeout as delay } from 'node:timers/promises';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { planAnswer } from './plan.ts';
import { type Reply, toReply } from './reply.ts';

export interface DemoModelOptions {
  /** The delay before each word in milliseconds; default 15. */
  readonly delayMs?: number;
  /** The date that `tomorrow` is relative to; default: now. */
  readonly today?: () => Date;
}

/**
 * A model that needs no network, for demos. It selects tools whose descriptions match the message, fills their schemas with words of
 * the message, and describes the results word by word. Inputs and objects that it generates
 * match their schemas. An abort ends its stream immediately with the signal's reason.
 */
export function demoModel({ delayMs = 15, today = () => new Date() }: DemoModelOptions = {}): LanguageModelV4 {
  const reply = (options: LanguageModelV4CallOptions): Reply => {
    if (options.abortSignal?.aborted === true) throw abortReason(options.abortSignal);
    return toReply(planAnswer(options, today()), options);
  };

  return {
    specificationVersion: 'v4',
    provider: 'halyard-demo',
    modelId: 'demo',
    // The model does not read files, so the server need not fetch them.
    supportedUrls: { '*/*': [/^https?:\/\//u] },

    async doGenerate(options) {
      const { calls, finishReason, text, usage } = reply(options);
      const content = text === '' ? [...calls] : [{ type: 'text' as const, text }, ...calls];
      return { content, finishReason, usage, warnings: [] };
    },

    async doStream(options) {
      return { stream: toStream(partsOf(reply(options), delayMs, options.abortSignal), options.abortSignal) };
    },
  };
}

/** Streams the parts on demand. An abort does not wait for the reader. */
function toStream(
  parts: AsyncGenerator<LanguageModelV4StreamPart, void, undefined>,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  let stopListening = (): void => {};
  return new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      const onAbort = (): void => controller.error(signal === undefined ? undefined : abortReason(signal));
      signal?.addEventListener('abort', onAbort, { once: true });
      stopListening = () => signal?.removeEventListener('abort', onAbort);
    },
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (signal?.aborted === true) return;
        if (!done) return controller.enqueue(value);
        stopListening();
        controller.close();
      } catch (error) {
        stopListening();
        if (signal?.aborted !== true) controller.error(error);
      }
    },
    async cancel() {
      stopListening();
      await parts.return();
    },
  });
}

async function* partsOf(
  { calls, finishReason, text, usage }: Reply,
  delayMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  const pause = async (): Promise<void> => {
    if (delayMs > 0) await delay(delayMs, undefined, signal === undefined ? {} : { signal });
  };
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'response-metadata', modelId: 'demo' };
  if (text !== '') {
    yield { type: 'text-start', id: 'text' };
    for (const delta of text.match(/\s*\S+|\s+$/gu) ?? []) {
      await pause();
      yield { type: 'text-delta', id: 'text', delta };
    }
    yield { type: 'text-end', id: 'text' };
  }
  for (const call of calls) {
    await pause();
    yield { type: 'tool-input-start', id: call.toolCallId, toolName: call.toolName };
    for (const delta of call.input.match(/.{1,24}/gsu) ?? []) {
      yield { type: 'tool-input-delta', id: call.toolCallId, delta };
    }
    yield { type: 'tool-input-end', id: call.toolCallId };
    yield call;
  }
  yield { type: 'finish', finishReason, usage };
}

/** The rejection of an aborted call: the reason if it is an error, like `fetch`. */
function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error
    ? reason
    : new DOMException('This operation was aborted', { name: 'AbortError', cause: reason });
}
