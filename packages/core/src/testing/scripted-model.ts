import { setTimeout as delay } from 'node:timers/promises';
import type {
  CompleteReply,
  ModelCallOptions,
  ModelContent,
  ModelPart,
  ModelUsage,
  ModelWarning,
  ResolvedModel,
} from '../model/providers/model-port.ts';

/** The model's reply in one call. A string is a text. */
export type ScriptedReply =
  | string
  | {
      /** Sent first, as a reasoning block. */
      readonly reasoning?: string;
      /** Streamed in pieces: the items of a list, or the words of a string. */
      readonly text?: string | Iterable<string>;
      /** `input` may be text that is not JSON, to test how an agent handles it. */
      readonly toolCalls?: readonly {
        readonly toolName: string;
        readonly input: unknown;
        readonly toolCallId?: string;
      }[];
      /** Any other parts, as the provider interface has them; sent before the finish. */
      readonly parts?: readonly (ModelContent | ModelPart)[];
      readonly finishReason?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';
      readonly usage?: {
        readonly inputTokens?: number;
        readonly outputTokens?: number;
        readonly cachedInputTokens?: number;
        readonly cacheWriteTokens?: number;
        readonly reasoningTokens?: number;
      };
      readonly warnings?: readonly ModelWarning[];
      /** Thrown instead of a reply; after the text when `failAfterText`. */
      readonly error?: unknown;
      readonly failAfterText?: boolean;
      /** Milliseconds before the reply, and before each piece of text. */
      readonly delayMs?: number;
      readonly pieceDelayMs?: number;
      /** Never finishes; only an abort ends it. */
      readonly hangs?: boolean;
      /** With `hangs`: not even an abort ends it, as with providers that ignore the signal. */
      readonly ignoresAbort?: boolean;
      /** The stream ends without a `finish` part. */
      readonly breaksOff?: boolean;
    }
  | ((call: ModelCallOptions, index: number) => ScriptedReply | Promise<ScriptedReply>);

export interface ScriptedModelOptions {
  readonly modelId?: string | undefined;
  /** Milliseconds before each piece of text, unless the reply sets it. */
  readonly pieceDelayMs?: number | undefined;
}

/** A model of interface version 4 that plays a script and records its calls. */
export interface ScriptedModel extends ResolvedModel {
  /** The options of every call so far. */
  readonly calls: readonly ModelCallOptions[];
  /** The number of calls whose signal aborted before they were done. */
  readonly abortsSeen: number;
}

/**
 * A model for tests: each call plays the next reply; the last reply repeats.
 *
 * ```ts
 * const model = scriptedModel({ toolCalls: [{ toolName: 'getWeather', input: { city: 'Paris' } }] }, 'Sunny.');
 * ```
 */
export function scriptedModel(...replies: readonly [ScriptedReply, ...ScriptedReply[]]): ScriptedModel {
  return createScriptedModel(replies, {});
}

/** {@link scriptedModel} with options. */
export function createScriptedModel(
  replies: readonly [ScriptedReply, ...ScriptedReply[]],
  { modelId = 'scripted', pieceDelayMs = 0 }: ScriptedModelOptions,
): ScriptedModel {
  const calls: ModelCallOptions[] = [];
  let abortsSeen = 0;

  const play = async (options: ModelCallOptions): Promise<Reply> => {
    const index = calls.push(options) - 1;
    options.abortSignal?.throwIfAborted();
    const script = replies[Math.min(index, replies.length - 1)] ?? '';
    const reply = await resolved(script, options, index);
    if (reply.delayMs !== undefined) await delay(reply.delayMs, undefined, { signal: options.abortSignal });
    if (reply.failAfterText !== true) throwErrorOf(reply);
    return reply;
  };
  const watch = (signal: AbortSignal | undefined): (() => void) => {
    const onAbort = (): void => {
      abortsSeen += 1;
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => signal?.removeEventListener('abort', onAbort);
  };

  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    calls,
    get abortsSeen() {
      return abortsSeen;
    },

    async doGenerate(options) {
      const unwatch = watch(options.abortSignal);
      try {
        const reply = await play(options);
        if (reply.hangs === true) await aborted(reply.ignoresAbort === true ? undefined : options.abortSignal);
        throwErrorOf(reply);
        return {
          content: contentOf(reply),
          finishReason: finishReasonOf(reply),
          usage: usageOf(reply),
          warnings: [...(reply.warnings ?? [])],
          ...responseOf(reply),
        };
      } finally {
        unwatch();
      }
    },

    async doStream(options) {
      const unwatch = watch(options.abortSignal);
      const reply = await play(options).catch((error: unknown) => {
        unwatch();
        throw error;
      });
      const parts = partsOf(reply, pieceDelayMs, options.abortSignal);
      const stream = new ReadableStream<ModelPart>({
        async pull(controller) {
          try {
            const { done, value } = await parts.next();
            if (!done) return controller.enqueue(value);
            controller.close();
          } catch (error) {
            controller.error(error);
          }
          unwatch();
        },
        cancel: unwatch,
      });
      return { stream };
    },
  };
}

type Reply = Exclude<ScriptedReply, string | ((...args: never[]) => unknown)>;

async function resolved(script: ScriptedReply, options: ModelCallOptions, index: number): Promise<Reply> {
  if (typeof script === 'string') return { text: script };
  return typeof script === 'function' ? resolved(await script(options, index), options, index) : script;
}

async function* partsOf(
  reply: Reply,
  defaultDelayMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelPart, void, undefined> {
  const delayMs = reply.pieceDelayMs ?? defaultDelayMs;
  yield { type: 'stream-start', warnings: [...(reply.warnings ?? [])] };
  if (reply.reasoning !== undefined) {
    yield { type: 'reasoning-start', id: 'r0' };
    yield { type: 'reasoning-delta', id: 'r0', delta: reply.reasoning };
    yield { type: 'reasoning-end', id: 'r0' };
  }
  if (reply.text !== undefined) {
    yield { type: 'text-start', id: 't0' };
    for (const delta of piecesOf(reply.text)) {
      if (delayMs > 0) await delay(delayMs, undefined, { signal });
      signal?.throwIfAborted();
      yield { type: 'text-delta', id: 't0', delta };
    }
    if (reply.hangs !== true && reply.error === undefined) yield { type: 'text-end', id: 't0' };
  }
  if (reply.hangs === true) await aborted(reply.ignoresAbort === true ? undefined : signal);
  throwErrorOf(reply);
  for (const call of toolCallsOf(reply)) {
    yield { type: 'tool-input-start', id: call.toolCallId, toolName: call.toolName };
    yield { type: 'tool-input-delta', id: call.toolCallId, delta: call.input };
    yield { type: 'tool-input-end', id: call.toolCallId };
    yield call;
  }
  for (const part of reply.parts ?? []) if (isStreamPart(part)) yield part;
  if (reply.breaksOff === true) return;
  yield { type: 'finish', finishReason: finishReasonOf(reply), usage: usageOf(reply) };
}

function throwErrorOf({ error }: Reply): void {
  if (error === undefined) return;
  const thrown: unknown = error;
  throw thrown;
}

function isStreamPart(part: ModelContent | ModelPart): part is ModelPart {
  return part.type !== 'text' && part.type !== 'reasoning';
}

function contentOf(reply: Reply): ModelContent[] {
  const content: ModelContent[] = [];
  if (reply.reasoning !== undefined) content.push({ type: 'reasoning', text: reply.reasoning });
  if (reply.text !== undefined) content.push({ type: 'text', text: [...piecesOf(reply.text)].join('') });
  content.push(...toolCallsOf(reply));
  for (const part of reply.parts ?? []) if (isContent(part)) content.push(part);
  return content;
}

function responseOf({ parts = [] }: Reply): Pick<CompleteReply, 'response'> | undefined {
  const response = parts.find((part) => part.type === 'response-metadata');
  return response && { response };
}

const contentTypes: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'custom',
  'reasoning-file',
  'file',
  'source',
  'tool-call',
  'tool-result',
  'tool-approval-request',
]);

function isContent(part: ModelContent | ModelPart): part is ModelContent {
  return contentTypes.has(part.type);
}

function piecesOf(text: string | Iterable<string>): Iterable<string> {
  return typeof text === 'string' ? (text.match(/\S+\s*|\s+/g) ?? []) : text;
}

function toolCallsOf({ toolCalls = [] }: Reply): Extract<ModelPart, { type: 'tool-call' }>[] {
  return toolCalls.map(({ toolName, input, toolCallId }, index) => ({
    type: 'tool-call',
    toolCallId: toolCallId ?? `call-${index + 1}`,
    toolName,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }));
}

function finishReasonOf({ finishReason, toolCalls = [] }: Reply): {
  unified: NonNullable<Reply['finishReason']>;
  raw: undefined;
} {
  return { unified: finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'), raw: undefined };
}

function usageOf({ usage = {} }: Reply): ModelUsage {
  return {
    inputTokens: {
      total: usage.inputTokens ?? 10,
      noCache: undefined,
      cacheRead: usage.cachedInputTokens,
      cacheWrite: usage.cacheWriteTokens,
    },
    outputTokens: { total: usage.outputTokens ?? 5, text: undefined, reasoning: usage.reasoningTokens },
  };
}

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  signal?.throwIfAborted();
}
