import type { Prompt } from '../../model/model-port.ts';
import type { RunContext } from '../agent-options.ts';
import type { Usage } from '../usage.ts';

/**
 * A named step around the prompt and the answer of an agent. Processors work in their order: each receives what the one before it returned. One that blocks ends
 * the run; one that throws ends it with `PROCESSOR_FAILED`.
 */
export interface Processor {
  /** Named by errors and by the trace. */
  readonly name: string;
  /** Called once for each text that the request adds, before anything is stored or a model is called. */
  processInput?(input: InputText, run: RunContext): TextVerdict | Promise<TextVerdict>;
  /** Called before each model call, with all that the model is about to receive. What it returns is sent; nothing is stored. */
  processStep?(step: StepPrompt, run: RunContext): StepVerdict | Promise<StepVerdict>;
  /** Called for each text of the answer before it is emitted, stored, used by a tool or sent to the model again. */
  processOutput?(output: OutputText, run: RunContext): OutputVerdict | Promise<OutputVerdict>;
}

/**
 * Where a text of the request comes from: a message of that role, what a client answers to a tool call (a result, or the reason of a denial), or a text file of
 * any message.
 */
export type InputSource = 'system' | 'user' | 'assistant' | 'tool' | 'file';

/** Where a text of the answer comes from: the text of a step, the arguments or the result of a tool call, a source, or a text file that the model generated. */
export type OutputSource = 'text' | 'tool-call' | 'tool-result' | 'source' | 'file';

export interface InputText {
  /** The text parts of a message are one text. */
  readonly text: string;
  readonly source: InputSource;
}

export interface OutputText {
  /** What was held, and what the model wrote since. Values, such as arguments, are lines of `name: value`. */
  readonly text: string;
  readonly source: OutputSource;
  /** Whether nothing follows. Only text of a step arrives in pieces. */
  readonly isComplete: boolean;
}

export interface StepPrompt {
  /** From 0. */
  readonly step: number;
  readonly prompt: Prompt;
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

/** What a processor decides. `modify` replaces the text; `block` ends the run with an error that gives the reason. */
export type TextVerdict = Allow | Block | { readonly action: 'modify'; readonly text: string };

export type OutputVerdict =
  | Allow
  | Block
  | {
      readonly action: 'modify';
      /** Goes on instead of the text. */
      readonly text: string;
      /** The end of the text: it is passed again, followed by what the model writes next. */
      readonly hold?: string;
    };

export type StepVerdict =
  | Allow
  | Block
  | {
      readonly action: 'modify';
      readonly prompt: Prompt;
      /** What the trace shows of the change. */
      readonly details?: Readonly<Record<string, string | number>>;
    };
