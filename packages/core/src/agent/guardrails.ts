import { GuardrailBlockedError } from '@halyard/contracts';
import type { RunContext } from './agent-options.ts';

/** What a guardrail decides. `modify` replaces the text; `block` ends the run with an error that gives the reason. */
export type GuardrailVerdict =
  | { readonly action: 'allow' }
  | { readonly action: 'modify'; readonly text: string }
  | { readonly action: 'block'; readonly reason: string };

/** Sees the text of the newest user message, before any model does. A block is a 400 over HTTP. */
export interface InputGuardrail {
  readonly name: string;
  check(text: string, run: RunContext): GuardrailVerdict | Promise<GuardrailVerdict>;
}

/**
 * Sees the text of an answer before anybody else does. What it cannot see does not leave either: while an agent has output
 * guardrails, its reasoning and the provider's own chunks are not told. While streaming, text is held back until it was checked: a whole block at
 * a time, or sentence by sentence when `granularity` says so.
 */
export interface OutputGuardrail {
  readonly name: string;
  /** Default `'block'`. Where several guardrails differ, the coarser one decides. */
  readonly granularity?: 'block' | 'sentence';
  check(text: string, run: RunContext): GuardrailVerdict | Promise<GuardrailVerdict>;
}

/**
 * The text after all guardrails had their say, each seeing what the one before it left.
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

/** Text on its way to the client, held back until output guardrails have passed it. */
export class HeldText {
  readonly #guardrails: readonly OutputGuardrail[];
  readonly #run: RunContext;
  readonly #bySentence: boolean;
  #held = '';

  constructor(guardrails: readonly OutputGuardrail[], run: RunContext) {
    this.#guardrails = guardrails;
    this.#run = run;
    this.#bySentence = guardrails.every(({ granularity }) => granularity === 'sentence');
  }

  /** Takes more text and gives what may leave now. */
  async add(delta: string): Promise<string> {
    this.#held += delta;
    const end = this.#bySentence ? endOfLastSentence(this.#held) : 0;
    if (end === 0) return '';
    const ready = this.#held.slice(0, end);
    this.#held = this.#held.slice(end);
    return guardText('output', this.#guardrails, ready, this.#run);
  }

  /** What is left at the end of a block. */
  async finish(): Promise<string> {
    const rest = this.#held;
    this.#held = '';
    return rest === '' ? '' : guardText('output', this.#guardrails, rest, this.#run);
  }
}

function endOfLastSentence(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?。！？]["')\]]*\s+|\n+/gu)) end = match.index + match[0].length;
  return end;
}
