import type { JsonObject } from '@halyard/contracts';
import type { RecordedRequest } from './recorded-request.ts';
import { type ReplyScript, chunks, textChunks, toolCallArguments, toolCallId } from './script.ts';

/** A block of a message's `content`: as it starts in a stream, its deltas, and as a whole. */
export interface AnthropicBlock {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
  readonly complete: JsonObject;
}

/** The blocks of a script: thinking, web search, text, tool calls. */
export function anthropicBlocks(script: ReplyScript, request: RecordedRequest): readonly AnthropicBlock[] {
  const { number } = request;
  const blocks: AnthropicBlock[] = (script.reasoning ?? []).map((thinking, index) =>
    thinkingBlock(chunks(thinking, script.chunkSize), `signature ${number}.${index}`),
  );
  if (script.redactedReasoning !== undefined)
    blocks.push(wholeBlock({ type: 'redacted_thinking', data: script.redactedReasoning }));
  blocks.push(...searchBlocks(script, number));

  const texts = textChunks(script);
  if (texts.length > 0 || script.text !== undefined) blocks.push(textBlock(texts));
  (script.toolCalls ?? []).forEach((call, index) => {
    const start = { type: 'tool_use', id: toolCallId(call, number, index), name: call.name, input: {} };
    blocks.push(inputBlock(start, toolCallArguments(call), script.chunkSize));
  });
  return blocks;
}

function thinkingBlock(pieces: readonly string[], signature: string): AnthropicBlock {
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature },
    ],
    complete: { type: 'thinking', thinking: pieces.join(''), signature },
  };
}

function searchBlocks({ webSearch, chunkSize }: ReplyScript, number: number): readonly AnthropicBlock[] {
  if (webSearch === undefined) return [];
  const id = `srvtoolu_${number}`;
  const start = { type: 'server_tool_use', id, name: 'web_search', input: {} };
  const results = webSearch.results.map(({ url, title }, index) => ({
    type: 'web_search_result',
    url,
    title,
    page_age: null,
    encrypted_content: `encrypted result ${number}.${index}`,
  }));
  const content =
    webSearch.error === undefined ? results : { type: 'web_search_tool_result_error', error_code: webSearch.error };
  const call = inputBlock(start, JSON.stringify({ query: webSearch.query }), chunkSize);
  if (webSearch.noResult === true) return [call];
  return [call, wholeBlock({ type: 'web_search_tool_result', tool_use_id: id, content })];
}

function textBlock(texts: readonly string[]): AnthropicBlock {
  return {
    start: { type: 'text', text: '' },
    deltas: texts.map((text) => ({ type: 'text_delta', text })),
    complete: { type: 'text', text: texts.join('') },
  };
}

/**
 * Arguments that are not JSON are streamed as they are. A complete message cannot contain them, so
 * it contains them as a text.
 */
function inputBlock(start: JsonObject, argumentsText: string, chunkSize?: number): AnthropicBlock {
  return {
    start,
    deltas: chunks(argumentsText, chunkSize).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    complete: { ...start, input: parsed(argumentsText) },
  };
}

function wholeBlock(block: JsonObject): AnthropicBlock {
  return { start: block, deltas: [], complete: block };
}

function parsed(text: string): JsonObject | string {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
