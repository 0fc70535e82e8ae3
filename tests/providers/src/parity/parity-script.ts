import type { GenerationSettings, RepairToolCall, SystemMessage } from '@halyard/core';
import type { ModelMessage, StopCondition, ToolSet } from 'ai';
import type { ReplyScript, NoReplyScript, StatusScript } from '../wire/index.ts';
import type { OutputName } from './outputs.ts';
import type { ProviderName } from './providers.ts';
import type { ToolName } from './tools.ts';

/**
 * A conversation as plain data: what the user says, and how the model answers each request.
 * `runWithSdk` runs it with the AI SDK, `runWithAgent` with an agent; both must send the same
 * requests, emit the same events and return the same results.
 */
export interface ParityScript {
  /** A sentence about the script, unique. */
  readonly name: string;
  /**
   * With several turns, the agent stores the history in its memory, and the SDK's side sends the
   * messages of each response again.
   */
  readonly turns: readonly ScriptedReply[];
  readonly instructions?: string | SystemMessage[];
  /** Names of `tools.ts`. */
  readonly tools?: readonly ToolName[];
  /** `true`: with the tools that the provider executes. */
  readonly providerTools?: boolean;
  /** Passed to each call. Headers must start with `x-script-` to be compared. */
  readonly settings?: SharedSettings;
  /** Control of the loop, passed to each call. */
  readonly loop?: SharedLoop;
  /**
   * The expected output instead of texts, by a name of `outputs.ts`. Only requests, elements of
   * lists and the result are compared.
   */
  readonly output?: OutputName;
  /** Default 5. */
  readonly maxSteps?: number;
  /** Repetitions of a failed model call. Default 0. */
  readonly maxRetries?: number;
  /** When the signal of the run aborts. Default: never. */
  readonly abort?: 'when the request arrives' | 'after the first text' | 'when a tool runs';
  /** The providers whose format has what the script needs. Default: all. */
  readonly providers?: readonly ProviderName[];
  /** Default: both ways. */
  readonly modes?: readonly Mode[];
}

/** Settings that have the same name and type on both sides. */
export interface SharedSettings {
  readonly temperature?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly stopSequences?: string[];
  readonly reasoning?: NonNullable<GenerationSettings['reasoning']>;
  readonly headers?: Record<`x-script-${string}`, string>;
}

/** Control of the loop that has the same name on both sides, with functions that both can call. */
export interface SharedLoop {
  readonly toolChoice?: 'auto' | 'none' | 'required' | { type: 'tool'; toolName: ToolName };
  readonly activeTools?: ToolName[];
  readonly stopWhen?: StopCondition<ToolSet>;
  readonly prepareStep?: (step: { readonly stepNumber: number; readonly messages: ModelMessage[] }) =>
    | {
        readonly toolChoice?: SharedLoop['toolChoice'];
        readonly activeTools?: ToolName[];
        readonly instructions?: string;
        readonly messages?: ModelMessage[];
      }
    | undefined;
  readonly repairToolCall?: (broken: {
    readonly toolCall: Parameters<RepairToolCall>[0]['toolCall'];
  }) => Promise<Parameters<RepairToolCall>[0]['toolCall'] | null>;
}

export interface ScriptedReply {
  readonly user: string | readonly UserPart[];
  /** One for each request of the turn, in order. */
  readonly answers: readonly (ReplyScript | StatusScript | NoReplyScript)[];
}

export type UserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'file'; readonly mediaType: string; readonly data: string; readonly filename?: string };

export type Mode = 'generate' | 'stream';

/**
 * The observation of one run of a script. Plain JSON: ids and errors are already reduced to the
 * common part of both sides.
 */
export interface Observation {
  readonly requests: readonly unknown[];
  /** The events of all turns; empty without streaming. */
  readonly events: readonly unknown[];
  /** One for each turn. */
  readonly results: readonly unknown[];
}
