import type { MessagePart } from '@halyard/contracts';

/** Embedding models take some thousand tokens, and a prompt should not be filled by one recalled message: what is beyond this is not found by its meaning. */
const greatestTextLength = 6000;

/** What a message says, as far as it is embedded: its text parts, 6000 characters at most. */
export function messageText({ parts }: { readonly parts: readonly MessagePart[] }): string {
  const texts: string[] = [];
  for (const part of parts) if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text);
  return embeddableText(texts.join('\n'));
}

/** The beginning of a text, no character torn apart. */
export function embeddableText(text: string): string {
  const whole = text.trim().toWellFormed();
  if (whole.length <= greatestTextLength) return whole;
  const cut = whole.slice(0, greatestTextLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
