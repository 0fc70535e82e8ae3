import { GuardrailBlockedError } from '@halyard/contracts';
import type { RunContext } from './agent-options.ts';

/** What a guardrail decides. `modify` replaces the text; `block` ends the run with an error that gives the reason. */
export type GuardrailVerdict =
  | { readonly action: 'allow' }
  | { readonly action: 'modify'; readonly text: string }
  | { readonly action: 'block'; readonly reason: string };

/** Checks the text of the newest user message before a model receives it. A block is a 400 over HTTP. */
export interface InputGuardrail {
  readonly name: string;
  check(text: string, run: RunContext): GuardrailVerdict | Promise<GuardrailVerdict>;
}

/**
 * Checks the text of an answer before it is emitted. What it cannot check is not emitted: an agent with output guardrails emits neither reasoning nor the
 * provider's own chunks. A stream emits text once it was checked, in whole blocks, or in sentences where `granularity` asks for it.
 */
export interface OutputGuardrail {
  readonly name: string;
  /** Default `'block'`. Where guardrails differ, the coarser granularity applies to all. */
  readonly granularity?: 'block' | 'sentence';
  check(text: string, run: RunContext): GuardrailVerdict | Promise<GuardrailVerdict>;
}

/**
 * Passes a text through all guardrails. Each checks the text as the one before it returned it.
 *
 * @throws GuardrailBlockedError
 */
export async function guardText(
  direction: 'input' | 'output',
  guardrails: readonly (InputGuardrail | OutputGuardrail)[],
  text: string,
  run: RunContext,
): Promise<string> {
  let current = text;
  for (const guardrail of guardrails) {
    const verdict = await guardrail.check(current, run);
    switch (verdict.action) {
      case 'allow':
        break;
      case 'modify':
        current = verdict.text;
        break;
      case 'block':
        throw new GuardrailBlockedError(direction, guardrail.name, verdict.reason);
      default:
        verdict satisfies never;
    }
  }
  return current;
}

/** Buffers the text of a block until output guardrails have checked it. */
export class GuardedText {
  readonly #guardrails: readonly OutputGuardrail[];
  readonly #run: RunContext;
  readonly #bySentence: boolean;
  #buffered = '';

  constructor(guardrails: readonly OutputGuardrail[], run: RunContext) {
    this.#guardrails = guardrails;
    this.#run = run;
    this.#bySentence = guardrails.every(({ granularity }) => granularity === 'sentence');
  }

  /** Adds text. @returns what can be emitted now. */
  async add(delta: string): Promise<string> {
    this.#buffered += delta;
    const end = this.#bySentence ? endOfLastSentence(this.#buffered) : 0;
    if (end === 0) return '';
    const ready = this.#buffered.slice(0, end);
    this.#buffered = this.#buffered.slice(end);
    return guardText('output', this.#guardrails, ready, this.#run);
  }

  /** Checks the rest at the end of the block. */
  async finish(): Promise<string> {
    const rest = this.#buffered;
    this.#buffered = '';
    return rest === '' ? '' : guardText('output', this.#guardrails, rest, this.#run);
  }
}

function endOfLastSentence(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?。！？]["')\]]*\s+|\n+/gu)) end = match.index + match[0].length;
  return end;
}
