import { Agent } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';

/** Facts are what the questions tell: `fact-7`. */
export function factsIn(text: string): readonly string[] {
  return [...new Set(text.match(/fact-\d+/g))];
}

/** Knows the facts that its prompt contains, and lists them, in an answer as in a summary. */
const reply: ScriptedReply = ({ prompt }) => {
  const text = factsIn(JSON.stringify(prompt)).join(' ');
  const [first] = prompt;
  const isSummary = first?.role === 'system' && first.content.startsWith('You take notes');
  return { text, delayMs: isSummary ? 200 : 100 };
};

/** An agent whose prompts have about ten exchanges, and a summary of those before. */
export const keeper: Agent = new Agent({
  id: 'keeper',
  model: scriptedModel(reply),
  compaction: { afterTokens: 2_000, keep: 2 },
});

/** About 200 tokens with the answer. */
export function tell(fact: number): string {
  return `Remember fact-${fact}. `.padEnd(600, 'x');
}
