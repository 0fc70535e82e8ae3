import type { Message, MessagePart } from '@halyard/contracts';
import type { PromptMessage } from '../../model/providers/model-port.ts';

/** Of English text. Other alphabets have more bytes in a character, and more tokens. */
const bytesPerToken = 4;
/** Role and separators. */
const tokensPerMessage = 4;
/** Providers count images by their size; most are below this. */
const tokensPerFile = 1000;

/** About how many tokens a message has. */
export function estimateTokens({ content }: PromptMessage): number {
  if (typeof content === 'string') return tokensPerMessage + textTokens(content);
  return content.reduce((sum, part) => sum + partTokens(part), tokensPerMessage);
}

function partTokens(part: Exclude<PromptMessage['content'], string>[number]): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return textTokens(part.text);
    case 'tool-call':
      return textTokens(part.toolName) + textTokens(JSON.stringify(part.input) ?? '');
    case 'tool-result': {
      if (part.output.type !== 'content') return textTokens(part.toolName) + textTokens(JSON.stringify(part.output));
      return part.output.value.reduce(
        (sum, item) => sum + (item.type === 'text' ? textTokens(item.text) : tokensPerFile),
        textTokens(part.toolName),
      );
    }
    case 'file':
    case 'reasoning-file':
      return part.data.type === 'text' ? textTokens(part.data.text) : tokensPerFile;
    default:
      return tokensPerMessage;
  }
}

/** About how many tokens a stored message has in a prompt. */
export function estimateStoredTokens({ parts }: Message): number {
  return parts.reduce((sum, part) => sum + storedPartTokens(part), tokensPerMessage);
}

function storedPartTokens(part: MessagePart): number {
  // The call, its arguments and its result.
  if ('toolCallId' in part) return tokensPerMessage + textTokens(JSON.stringify(part));
  if (part.type === 'text' || part.type === 'reasoning') return textTokens(part.text);
  return part.type === 'file' || part.type === 'reasoning-file' ? tokensPerFile : tokensPerMessage;
}

export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}
