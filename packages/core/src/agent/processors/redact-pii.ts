import { endOfSettledText, findPii, type PiiType, piiTypes } from './find-pii.ts';
import type { InputSource, OutputSource, OutputVerdict, Processor, TextVerdict } from './processor.ts';

export interface RedactPiiOptions {
  /** Default: all of them. */
  readonly types?: readonly PiiType[] | undefined;
  /** Which texts are checked. Default: all of them, those of the request and those of the reply. */
  readonly sources?: readonly (InputSource | OutputSource)[] | undefined;
  /**
   * `redact` (default): replaces each match with its type, such as `[email]`. `block`: ends the
   * run.
   */
  readonly action?: 'redact' | 'block' | undefined;
}

/**
 * A processor that finds e-mail addresses, phone numbers, card numbers (with their check digit) and
 * IBANs (with their check digits) by their form. It holds the end of a streamed text while it may
 * belong to one. A form is not proof: it misses unusual forms, and numbers that only look like
 * phone numbers are redacted.
 */
export function redactPii(options: RedactPiiOptions = {}): Processor {
  const { action = 'redact', sources, types = piiTypes } = options;
  const isChecked = (source: InputSource | OutputSource): boolean => sources === undefined || sources.includes(source);
  const check = (text: string): TextVerdict => {
    const found = findPii(text, types);
    const [first] = found;
    if (first === undefined) return { action: 'allow' };
    if (action === 'block') return { action: 'block', reason: `it contains ${descriptions[first.type]}` };
    let redacted = '';
    let end = 0;
    for (const match of found) {
      redacted += `${text.slice(end, match.start)}[${match.type}]`;
      ({ end } = match);
    }
    return { action: 'modify', text: redacted + text.slice(end) };
  };
  return {
    name: 'pii',
    processInput: ({ source, text }) => (isChecked(source) ? check(text) : { action: 'allow' }),
    processOutput: ({ isComplete, source, text }): OutputVerdict => {
      if (!isChecked(source)) return { action: 'allow' };
      const end = isComplete ? text.length : endOfSettledText(text, types);
      const verdict = check(text.slice(0, end));
      if (end === text.length || verdict.action === 'block') return verdict;
      return {
        action: 'modify',
        text: verdict.action === 'modify' ? verdict.text : text.slice(0, end),
        hold: text.slice(end),
      };
    },
  };
}

const descriptions: Readonly<Record<PiiType, string>> = {
  card: 'a card number',
  email: 'an e-mail address',
  iban: 'an IBAN',
  phone: 'a phone number',
};
