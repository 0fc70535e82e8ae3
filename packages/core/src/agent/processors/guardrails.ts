import type { RunContext } from '../agent-options.ts';
import type { InputSource, OutputSource, OutputText, OutputVerdict, Processor, TextVerdict } from './processor.ts';

/**
 * A guardrail's decision. `modify` replaces the text; `block` ends the run with an error that gives
 * the reason.
 */
export type GuardrailVerdict = TextVerdict;

/** Checks each text that a request adds, before a model receives it. A block is a 400 over HTTP. */
export interface InputGuardrail {
  readonly name: string;
  check(
    text: string,
    run: RunContext,
    from: { readonly source: InputSource },
  ): GuardrailVerdict | Promise<GuardrailVerdict>;
}

/**
 * Checks each text of a reply before it is emitted. Parts that it cannot check are not emitted: an
 * agent with output guardrails emits neither reasoning nor the provider's own chunks. A stream
 * emits text once it was checked: when the step ends, or in sentences where `granularity` asks for
 * it.
 */
export interface OutputGuardrail {
  readonly name: string;
  /**
   * Default `'block'`: the text of a step as a whole. Where guardrails differ, the coarser
   * granularity applies to all.
   */
  readonly granularity?: 'block' | 'sentence';
  check(
    text: string,
    run: RunContext,
    from: { readonly source: OutputSource },
  ): GuardrailVerdict | Promise<GuardrailVerdict>;
}

/** An input guardrail as a processor. */
export function inputGuardrail(guardrail: InputGuardrail): Processor {
  return {
    name: guardrail.name,
    processInput: ({ source, text }, run) => guardrail.check(text, run, { source }),
  };
}

/** An output guardrail as a processor, which holds text until there is enough to check. */
export function outputGuardrail(guardrail: OutputGuardrail): Processor {
  const { granularity = 'block', name } = guardrail;
  return {
    name,
    processOutput: async ({ isComplete, source, text }, run) => {
      const end = endOfCheck(text, isComplete, granularity);
      if (end === 0) return { action: 'modify', text: '', hold: text };
      const verdict = await guardrail.check(text.slice(0, end), run, { source });
      return end === text.length ? verdict : withHeld(verdict, text, end);
    },
  };
}

function endOfCheck(text: OutputText['text'], isComplete: boolean, granularity: 'block' | 'sentence'): number {
  if (isComplete) return text.length;
  return granularity === 'sentence' ? endOfLastSentence(text) : 0;
}

function withHeld(verdict: GuardrailVerdict, text: string, end: number): OutputVerdict {
  if (verdict.action === 'block') return verdict;
  const checked = verdict.action === 'modify' ? verdict.text : text.slice(0, end);
  return { action: 'modify', text: checked, hold: text.slice(end) };
}

function endOfLastSentence(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?。！？]["')\]]*\s+|\n+/gu)) end = match.index + match[0].length;
  return end;
}
