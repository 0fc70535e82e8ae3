import type { Logger, StoredMessage } from '@halyard/contracts';
import type { Prompt } from '../../model/providers/model-port.ts';
import type { ModelChoice } from '../../model/providers/resolve-models.ts';
import type { RunContext } from '../agent-options.ts';
import type { Usage } from '../usage.ts';

/**
 * A named step around the prompt and the reply of an agent. Processors work in their order: each
 * receives the result of the one before it. A processor that blocks ends the run; one that throws
 * ends it with `PROCESSOR_FAILED`.
 */
export interface Processor {
  /** Named by errors and by the trace. */
  readonly name: string;
  /**
   * Called once for each text that the request adds, before anything is stored or a model is
   * called.
   */
  processInput?(input: InputText, run: RunContext): TextVerdict | Promise<TextVerdict>;
  /**
   * Called once for each run with a conversation, before its first model call, and once more if the
   * model refuses the prompt as too long. An agent with such a processor reads all messages since
   * the newest summary, at most 1000, unless the request sets `contextLimit`.
   */
  processHistory?(history: ConversationHistory, run: RunContext): HistoryVerdict | Promise<HistoryVerdict>;
  /**
   * Called before each model call, with the whole prompt. The returned prompt is sent; nothing is
   * stored.
   */
  processStep?(step: StepPrompt, run: RunContext): StepVerdict | Promise<StepVerdict>;
  /**
   * Called for each text of the reply before it is emitted, stored, used by a tool or sent to the
   * model again.
   */
  processOutput?(output: OutputText, run: RunContext): OutputVerdict | Promise<OutputVerdict>;
}

/**
 * The source of a text of the request: a message of that role, a client's response to a tool call
 * (a result, or the reason of a denial), or a text file of any message.
 */
export type InputSource = 'system' | 'user' | 'assistant' | 'tool' | 'file';

/**
 * Where a text of the reply comes from: the text of a step, the arguments or the result of a tool
 * call, a source, a text file that the model generated, data that a tool writes for the client, or
 * a summary of older messages.
 */
export type OutputSource = 'text' | 'tool-call' | 'tool-result' | 'source' | 'file' | 'data' | 'summary';

export interface InputText {
  /** The text parts of a message are one text. */
  readonly text: string;
  readonly source: InputSource;
}

export interface OutputText {
  /**
   * The held text, and the new text of the model. Values, such as arguments, are lines of `name:
   * value`.
   */
  readonly text: string;
  readonly source: OutputSource;
  /** Whether nothing follows. Only text of a step arrives in pieces. */
  readonly isComplete: boolean;
}

/** The stored messages that the prompt of a run begins with. */
export interface ConversationHistory {
  /** Oldest first. A summary of the messages before them is the first. */
  readonly messages: readonly StoredMessage[];
  /**
   * Whether the model has refused the prompt with these messages as too long. If the returned
   * messages are not shorter, the run fails.
   */
  readonly isTooLong: boolean;
  /** Whether the run writes nothing. */
  readonly isReadOnly: boolean;
  /** When the run began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Aborted with the run. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /**
   * The reply of a model, as the output processors return it. Its usage is part of that of the run,
   * and its span of the trace. Rejects when no model replies in time.
   */
  ask(request: HistoryQuestion): Promise<string>;
  /**
   * Stores a summary of the first `count` messages, which the prompts of later runs begin with. Of
   * these, a summary may be the first.
   *
   * @returns undefined when it is not stored, because one of the messages was deleted.
   */
  summarize(text: string, count: number): Promise<StoredMessage | undefined>;
}

export interface HistoryQuestion {
  readonly prompt: Prompt;
  /** Default: the models of the run. */
  readonly model?: ModelChoice | undefined;
  readonly timeoutMs: number;
}

export interface StepPrompt {
  /** From 0. */
  readonly step: number;
  readonly prompt: Prompt;
  /**
   * Whether the model has refused the prompt of this step as too long. It is called once more, if
   * the returned prompt is shorter.
   */
  readonly isTooLong: boolean;
  /** As the provider reported it for the step before; undefined for the first. */
  readonly lastUsage: Usage | undefined;
}

interface Allow {
  readonly action: 'allow';
}

interface Block {
  readonly action: 'block';
  readonly reason: string;
}

/**
 * A processor's decision. `modify` replaces the text; `block` ends the run with an error that gives
 * the reason.
 */
export type TextVerdict = Allow | Block | { readonly action: 'modify'; readonly text: string };

export type OutputVerdict =
  | Allow
  | Block
  | {
      readonly action: 'modify';
      /** Goes on instead of the text. */
      readonly text: string;
      /** The end of the text: it is passed again, followed by the model's next text. */
      readonly hold?: string;
    };

export type HistoryVerdict =
  | Allow
  | Block
  | {
      readonly action: 'modify';
      /** Sent instead of the messages. A summary must be the first. */
      readonly messages: readonly StoredMessage[];
      /** Details of the change for the trace. */
      readonly details?: Readonly<Record<string, string | number>>;
    };

export type StepVerdict =
  | Allow
  | Block
  | {
      readonly action: 'modify';
      readonly prompt: Prompt;
      /** Details of the change for the trace. */
      readonly details?: Readonly<Record<string, string | number>>;
    };
