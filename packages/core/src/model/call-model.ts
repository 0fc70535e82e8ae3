import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, type Logger, TimeLimitError } from '@halyard/contracts';
import { abortable } from '../async/abortable.ts';
import { longestTimerMs } from '../async/longest-timer.ts';
import type { ModelFailure } from './files/refused-files.ts';
import { isContentOfStream } from './messages/content.ts';
import { acceptedPrompt } from './prompt/accepted-prompt.ts';
import type {
  ModelCallOptions,
  ModelContent,
  ModelPart,
  CompleteReply,
  ResolvedModel,
} from './providers/model-port.ts';
import { loggedModelError } from './providers/provider-failure.ts';
import { retryDelayMs, type RetryOptions } from './providers/retry-delay.ts';

export interface CallModelOptions {
  readonly retries: RetryOptions;
  /** The limit for the first token of a streaming model, where there are several models. */
  readonly firstTokenMs: number;
  /** Called with each part of a stream that arrives before the reply is returned. */
  readonly onData?: ((part: ModelPart) => void) | undefined;
  /** Called with each failure of a model, also if another attempt or model follows. */
  readonly onFailure?: ((failure: ModelFailure) => void) | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The reply of the first model that gave one: the parts that were read, and the reader of the
 * others.
 */
export interface ModelReply {
  readonly model: ResolvedModel;
  readonly opening: readonly ModelPart[];
  readonly rest: ReadableStreamDefaultReader<ModelPart> | undefined;
}

/**
 * Calls the models in order until one replies. A call that fails before its first token is retried
 * if the failure is temporary (a rate limit, an overload; `Retry-After` is honoured). After that,
 * and when the first token takes too long, the next model is called. A failure after the first
 * token is thrown by the reader. An abort ends the call even if the model ignores its signal.
 * Failures after which the call continues are logged.
 *
 * @throws the error of the last model.
 */
export async function callModel(
  models: readonly ResolvedModel[],
  streaming: boolean,
  request: ModelCallOptions,
  options: CallModelOptions,
): Promise<ModelReply> {
  let failure: unknown;
  for (const [place, model] of models.entries()) {
    const call = { ...request, prompt: acceptedPrompt(request.prompt, model) };
    for (let attempt = 0; attempt <= options.retries.maxRetries; attempt += 1) {
      try {
        if (!streaming) {
          const reply = await abortable(Promise.resolve(model.doGenerate(call)), call.abortSignal);
          return { model, opening: toParts(reply), rest: undefined };
        }
        return models.length > 1
          ? await openWithin(options, model, call)
          : await openStream(model, call, options.onData);
      } catch (error) {
        failure = error;
        if (call.abortSignal?.aborted === true) throw error;
        options.onFailure?.({ model, error });
        const delayMs = retryDelayMs(error, attempt, options);
        // The caller logs this one, with its purpose.
        if (delayMs === undefined && place === models.length - 1) throw error;
        options.logger.warn(
          {
            ...loggedModelError(model, error),
            model: model.modelId,
            attempt,
            ...(delayMs !== undefined && { retryInMs: delayMs }),
          },
          'a model call failed',
        );
        if (delayMs === undefined) break;
        await delay(delayMs, undefined, call.abortSignal === undefined ? {} : { signal: call.abortSignal });
      }
    }
  }
  throw failure;
}

/** Aborts a model that sends no first token in time, so that the next one can be called. */
async function openWithin(
  { firstTokenMs, onData }: CallModelOptions,
  model: ResolvedModel,
  call: ModelCallOptions,
): Promise<ModelReply> {
  const { abortSignal: outer } = call;
  const controller = new AbortController();
  // Stays after the opening: the signal of the call is for its whole stream.
  outer?.addEventListener('abort', () => controller.abort(outer.reason), { once: true });
  const timer = setTimeout(
    () => controller.abort(new TimeLimitError('The first token', firstTokenMs)),
    Math.min(firstTokenMs, longestTimerMs),
  );
  try {
    return await openStream(model, { ...call, abortSignal: controller.signal }, onData);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads up to the first token: after a failure before it, the call can be repeated. */
async function openStream(
  model: ResolvedModel,
  call: ModelCallOptions,
  onData: CallModelOptions['onData'],
): Promise<ModelReply> {
  const asked = Promise.resolve(model.doStream(call));
  const { stream } = await abortable(asked, call.abortSignal).catch((error: unknown) => {
    asked.then((late) => late.stream.cancel(error)).catch(() => {});
    throw error;
  });
  const rest = stream.getReader();
  const opening: ModelPart[] = [];
  try {
    for (;;) {
      const { done, value: part } = await abortable(rest.read(), call.abortSignal);
      if (done) throw new EmptyStreamError(model.modelId);
      onData?.(part);
      if (part.type === 'error') throw part.error;
      opening.push(part);
      // A model may end without a reply.
      if (isContentOfStream(part) || part.type === 'finish') return { model, opening, rest };
    }
  } catch (error) {
    rest.cancel(error).catch(() => {});
    throw error;
  }
}

/** Another attempt or model may still reply. */
class EmptyStreamError extends Error {
  constructor(modelId: string) {
    super(`The stream of model "${modelId}" ended before its first token`);
  }
}

/** A complete reply as the parts of a stream, so that both are read by the same code. */
function toParts({ warnings, content, finishReason, usage, providerMetadata, response }: CompleteReply): ModelPart[] {
  const parts: ModelPart[] = warnings.length > 0 ? [{ type: 'stream-start', warnings }] : [];
  if (response !== undefined) {
    const { id, modelId, timestamp } = response;
    parts.push({
      type: 'response-metadata',
      ...(id !== undefined && { id }),
      ...(modelId !== undefined && { modelId }),
      ...(timestamp !== undefined && { timestamp }),
    });
  }
  content.forEach((item, index) => parts.push(...partsOfContent(item, String(index))));
  parts.push({ type: 'finish', finishReason, usage, ...(providerMetadata && { providerMetadata }) });
  return parts;
}

function partsOfContent(item: ModelContent, id: string): ModelPart[] {
  if (item.type !== 'text' && item.type !== 'reasoning') return [item];
  const metadata = item.providerMetadata && { providerMetadata: item.providerMetadata };
  return [
    { type: `${item.type}-start`, id },
    { type: `${item.type}-delta`, id, delta: item.text },
    { type: `${item.type}-end`, id, ...('citations' in item && { citations: item.citations }), ...metadata },
  ];
}
