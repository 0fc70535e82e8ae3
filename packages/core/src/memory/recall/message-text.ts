import { cutText, type MessagePart } from '@halyard/contracts';
import { isInactive } from '../../conversation/branch.ts';

/**
 * In UTF-16 units. Embedding models take some thousand tokens, and one recalled message should not
 * fill a prompt. The rest of a message is not searched.
 */
const maxTextLength = 6000;

/**
 * The text of a message that is embedded: its text parts, up to 6000 characters. Nobody finds an
 * inactive message, because no prompt may contain it.
 */
export function messageText({ parts }: { readonly parts: readonly MessagePart[] }): string {
  if (isInactive({ parts })) return '';
  const texts = parts.flatMap((part) => (part.type === 'text' && typeof part.text === 'string' ? [part.text] : []));
  return embeddableText(texts.join('\n'));
}

/** The beginning of a text, cut between characters. */
export function embeddableText(text: string): string {
  const whole = text.trim().toWellFormed();
  if (whole.length <= maxTextLength) return whole;
  const cut = cutText(whole, maxTextLength);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
