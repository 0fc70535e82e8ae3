import type { InputSource, OutputSource, Processor, TextVerdict } from './processor.ts';

export interface DetectPromptInjectionOptions {
  /**
   * Further patterns, such as those of other languages. They are matched against text in lower
   * case, with single spaces.
   */
  readonly patterns?: readonly RegExp[] | undefined;
  /**
   * Which texts are checked. Default: messages of the user and of a client's system, files, and
   * results of tools.
   */
  readonly sources?: readonly (InputSource | OutputSource)[] | undefined;
  /** `block` (default): ends the run. `remove`: replaces the text with a note that says so. */
  readonly action?: 'block' | 'remove' | undefined;
}

/**
 * A processor that recognises texts which try to replace the agent's instructions, by typical
 * phrases, chat markers and invisible characters. It makes simple attacks fail. It is no protection
 * against a determined attacker: give tools only the rights that the user has.
 */
export function detectPromptInjection(options: DetectPromptInjectionOptions = {}): Processor {
  const { action = 'block', patterns = [], sources = defaultSources } = options;
  const check = (source: InputSource | OutputSource, text: string): TextVerdict => {
    const reason = sources.includes(source) ? whyInjection(text, patterns) : undefined;
    if (reason === undefined) return { action: 'allow' };
    return action === 'block' ? { action, reason } : { action: 'modify', text: removed };
  };
  return {
    name: 'prompt injection',
    processInput: ({ source, text }) => check(source, text),
    // Of the reply, only results of tools come from elsewhere. They arrive as a whole.
    processOutput: ({ source, text }) => (source === 'text' ? { action: 'allow' } : check(source, text)),
  };
}

const defaultSources: readonly (InputSource | OutputSource)[] = ['user', 'system', 'file', 'tool', 'tool-result'];

const removed = '[This text was removed: it looked like instructions to the model.]';

function whyInjection(text: string, patterns: readonly RegExp[]): string | undefined {
  if (/[\u{e0000}-\u{e007f}]/u.test(text)) return 'it contains invisible characters';
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();
  return (
    heuristics.find(([, pattern]) => pattern.test(plain))?.[0] ??
    (patterns.some((pattern) => plain.search(pattern) !== -1) ? 'it matches a pattern of the app' : undefined)
  );
}

const instructions = String.raw`(?:instructions?|prompts?|rules|directives|guidelines|messages?|context)`;
const earlier = String.raw`(?:previous|prior|above|earlier|preceding|existing|initial|original|system|your)`;

/** Matched against text in lower case, with single spaces. */
const heuristics: readonly (readonly [reason: string, pattern: RegExp])[] = [
  [
    'it asks to ignore the instructions',
    new RegExp(
      String.raw`\b(?:ignore|disregard|forget|override|bypass|skip)\b(?: (?:all|any|every|of|the|my|these|those|everything|in)){0,4} ${earlier}(?: (?:and|or|all|system|developer|${earlier})){0,3} ${instructions}\b`,
    ),
  ],
  [
    'it asks for the instructions',
    new RegExp(
      String.raw`\b(?:reveal|print|show|repeat|output|display|leak|give me|tell me|what (?:is|are))\b(?: (?:me|us|all|the|of|exact|full|complete|hidden|verbatim)){0,4} (?:your|the)(?: (?:hidden|secret|initial|original|full|exact|internal)){0,2} (?:system (?:prompt|message|instructions)|developer (?:message|instructions)|initial instructions|hidden instructions)\b`,
    ),
  ],
  [
    'it gives the model another role',
    /\byou are now (?:dan\b|in (?:developer|god|debug|jailbreak) mode|an? (?:unrestricted|uncensored|unfiltered)|no longer (?:bound|restricted|an ai))|\b(?:enable|enter|activate) (?:developer|god|jailbreak|dan) mode\b|\bdo anything now\b/,
  ],
  [
    'it imitates the markers of a chat',
    /<\|(?:im_start|im_end|system|endoftext|start_header_id|eot_id)\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:system|system_prompt)>/,
  ],
  ['it announces new instructions', /(?:^|[.!?:;>#*-] ?)(?:new|updated|real|actual) (?:system )?instructions? ?:/],
];
