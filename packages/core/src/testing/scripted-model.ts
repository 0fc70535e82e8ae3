import { setTimeout as delay } from 'node:timers/promises';
import type {
  CompleteAnswer,
  ModelCallOptions,
  ModelContent,
  ModelPart,
  ModelUsage,
  ModelWarning,
  ResolvedModel,
} from '../model/model-port.ts';

/** What the model does in one call. A string is a text. */
export type ScriptedTurn =
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
      /** Thrown instead of an answer; after the text when `failAfterText`. */
      readonly error?: unknown;
      readonly failAfterText?: boolean;
      /** Milliseconds before the answer, and before each piece of text. */
      readonly delayMs?: number;
      readonly pieceDelayMs?: number;
      /** Never finishes; only an abort ends it. */
      readonly hangs?: boolean;
      /** With `hangs`: not even an abort ends it, as with providers that ignore the signal. */
      readonly ignoresAbort?: boolean;
      /** The stream ends without a `finish` part. */
      readonly breaksOff?: boolean;
    }
  | ((call: ModelCallOptions, index: number) => ScriptedTurn | Promise<ScriptedTurn>);

export interface ScriptedModelOptions {
  readonly modelId?: string;
  /** Milliseconds before each piece of text, unless the turn sets it. */
  readonly pieceDelayMs?: number;
}

/** A model of interface version 4 that plays a script and records its calls. */
export interface ScriptedModel extends ResolvedModel {
  /** The options of every call so far. */
  readonly calls: readonly ModelCallOptions[];
  /** The number of calls whose signal aborted before they were done. */
  readonly abortsSeen: number;
}

/**
 * A model for tests: each call plays the next turn; the last turn repeats.
 *
 * ```ts
 * const model = scriptedModel({ toolCalls: [{ toolName: 'getWeather', input: { city: 'Paris' } }] }, 'Sunny.');
 * ```
 */
export function scriptedModel(...turns: readonly [ScriptedTurn, ...ScriptedTurn[]]): ScriptedModel {
  return createScriptedModel(turns, {});
}

/** {@link scriptedModel} with options. */
export function createScriptedModel(
  turns: readonly [ScriptedTurn, ...ScriptedTurn[]],
  { modelId = 'scripted', pieceDelayMs = 0 }: ScriptedModelOptions,
): ScriptedModel {
  const calls: ModelCallOptions[] = [];
  let abortsSeen = 0;

  const play = async (options: ModelCallOptions): Promise<Turn> => {
    const index = calls.push(options) - 1;
    options.abortSignal?.throwIfAborted();
    const script = turns[Math.min(index, turns.length - 1)] ?? '';
    const turn = await resolved(script, options, index);
    if (turn.delayMs !== undefined) await delay(turn.delayMs, undefined, { signal: options.abortSignal });
    if (turn.failAfterText !== true) throwErrorOf(turn);
    return turn;
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
        const turn = await play(options);
        if (turn.hangs === true) await aborted(turn.ignoresAbort === true ? undefined : options.abortSignal);
        throwErrorOf(turn);
        return {
          content: contentOf(turn),
          finishReason: finishReasonOf(turn),
          usage: usageOf(turn),
          warnings: [...(turn.warnings ?? [])],
          ...responseOf(turn),
        };
      } finally {
        unwatch();
      }
    },

    async doStream(options) {
      const unwatch = watch(options.abortSignal);
      const turn = await play(options).catch((error: unknown) => {
        unwatch();
        throw error;
      });
      const parts = partsOf(turn, pieceDelayMs, options.abortSignal);
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

type Turn = Exclude<ScriptedTurn, string | ((...args: never[]) => unknown)>;

async function resolved(script: ScriptedTurn, options: ModelCallOptions, index: number): Promise<Turn> {
  if (typeof script === 'string') return { text: script };
  return typeof script === 'function' ? resolved(await script(options, index), options, index) : script;
}

async function* partsOf(
  turn: Turn,
  defaultDelayMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ModelPart, void, undefined> {
  const delayMs = turn.pieceDelayMs ?? defaultDelayMs;
  yield { type: 'stream-start', warnings: [...(turn.warnings ?? [])] };
  if (turn.reasoning !== undefined) {
    yield { type: 'reasoning-start', id: 'r0' };
    yield { type: 'reasoning-delta', id: 'r0', delta: turn.reasoning };
    yield { type: 'reasoning-end', id: 'r0' };
  }
  if (turn.text !== undefined) {
    yield { type: 'text-start', id: 't0' };
    for (const delta of piecesOf(turn.text)) {
      if (delayMs > 0) await delay(delayMs, undefined, { signal });
      signal?.throwIfAborted();
      yield { type: 'text-delta', id: 't0', delta };
    }
    if (turn.hangs !== true && turn.error === undefined) yield { type: 'text-end', id: 't0' };
  }
  if (turn.hangs === true) await aborted(turn.ignoresAbort === true ? undefined : signal);
  throwErrorOf(turn);
  for (const call of toolCallsOf(turn)) {
    yield { type: 'tool-input-start', id: call.toolCallId, toolName: call.toolName };
    yield { type: 'tool-input-delta', id: call.toolCallId, delta: call.input };
    yield { type: 'tool-input-end', id: call.toolCallId };
    yield call;
  }
  for (const part of turn.parts ?? []) if (isStreamPart(part)) yield part;
  if (turn.breaksOff === true) return;
  yield { type: 'finish', finishReason: finishReasonOf(turn), usage: usageOf(turn) };
}

function throwErrorOf({ error }: Turn): void {
  if (error === undefined) return;
  const thrown: unknown = error;
  throw thrown;
}

function isStreamPart(part: ModelContent | ModelPart): part is ModelPart {
  return part.type !== 'text' && part.type !== 'reasoning';
}

function contentOf(turn: Turn): ModelContent[] {
  const content: ModelContent[] = [];
  if (turn.reasoning !== undefined) content.push({ type: 'reasoning', text: turn.reasoning });
  if (turn.text !== undefined) content.push({ type: 'text', text: [...piecesOf(turn.text)].join('') });
  content.push(...toolCallsOf(turn));
  for (const part of turn.parts ?? []) if (isContent(part)) content.push(part);
  return content;
}

function responseOf({ parts = [] }: Turn): Pick<CompleteAnswer, 'response'> | undefined {
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

function toolCallsOf({ toolCalls = [] }: Turn): Extract<ModelPart, { type: 'tool-call' }>[] {
  return toolCalls.map(({ toolName, input, toolCallId }, index) => ({
    type: 'tool-call',
    toolCallId: toolCallId ?? `call-${index + 1}`,
    toolName,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }));
}

function finishReasonOf({ finishReason, toolCalls = [] }: Turn): {
  unified: NonNullable<Turn['finishReason']>;
  raw: undefined;
} {
  return { unified: finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'), raw: undefined };
}

function usageOf({ usage = {} }: Turn): ModelUsage {
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
