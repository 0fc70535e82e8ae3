import type { JsonObject, JsonValue } from '@halyard/contracts';
import type { RecordedRequest } from './recorded-request.ts';
import { type ReplyScript, chunks, textChunks, toolCallArguments, toolCallId } from './script.ts';

/** A block of a message's `content`: how it starts in a stream, its deltas, and as a whole. */
export interface BedrockBlock {
  readonly start?: JsonObject;
  readonly deltas: readonly JsonObject[];
  readonly complete: JsonObject;
}

/** The blocks of a script: reasoning, text, tool calls. */
export function bedrockBlocks(script: ReplyScript, { number }: RecordedRequest): readonly BedrockBlock[] {
  const blocks: BedrockBlock[] = (script.reasoning ?? []).map((text, index) =>
    reasoningBlock(chunks(text, script.chunkSize), `signature ${number}.${index}`),
  );
  const { redactedReasoning } = script;
  if (redactedReasoning !== undefined) {
    const reasoningContent = { redactedContent: redactedReasoning };
    blocks.push({ deltas: [{ reasoningContent }], complete: { reasoningContent } });
  }
  const texts = textChunks(script);
  if (texts.length > 0) blocks.push({ deltas: texts.map((text) => ({ text })), complete: { text: texts.join('') } });
  (script.toolCalls ?? []).forEach((call, index) => {
    const use = { toolUseId: toolCallId(call, number, index), name: call.name };
    const argumentsText = toolCallArguments(call);
    blocks.push({
      start: { toolUse: use },
      deltas: chunks(argumentsText, script.chunkSize).map((input) => ({ toolUse: { input } })),
      complete: { toolUse: { ...use, input: parsed(argumentsText) } },
    });
  });
  return blocks;
}

function reasoningBlock(pieces: readonly string[], signature: string): BedrockBlock {
  return {
    deltas: [...pieces.map((text) => ({ reasoningContent: { text } })), { reasoningContent: { signature } }],
    complete: { reasoningContent: { reasoningText: { text: pieces.join(''), signature } } },
  };
}

/**
 * Arguments that are not JSON are streamed as they are. A complete message cannot contain them, so
 * it contains them as a text.
 */
function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
