import type { JsonObject, JsonValue } from '@halyard/contracts';
import type { RecordedRequest } from '../wire/index.ts';
import { isJsonObject } from '../wire/json-object.ts';

/** Why a provider refuses the conversation of a request; undefined when it accepts it. */
export type Refusal = (request: RecordedRequest) => string | undefined;

/** The rules of Anthropic's Messages API and, for the first message, of Bedrock. */
export const anthropicRefusal: Refusal = ({ body }) => {
  const messages = objects(body['messages']);
  if (messages[0]?.['role'] !== 'user') return 'A conversation must start with a user message.';
  for (const [index, message] of messages.entries()) {
    const blocks = objects(message['content']);
    if (blocks.length === 0) return `messages.${index}: all messages must have non-empty content`;
    const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => named(text));
    if (texts.includes('')) return `messages.${index}: text content blocks must be non-empty`;
    if (texts.length > 0 && texts.every((text) => text.trim() === ''))
      return `messages.${index}: text content blocks must contain non-whitespace text`;
    const last = blocks.at(-1)?.['type'];
    if (message['role'] === 'assistant' && (last === 'thinking' || last === 'redacted_thinking'))
      return `messages.${index}: the final block in an assistant message cannot be thinking`;
    const next = objects(messages[index + 1]?.['content']);
    const results = [...blocks, ...next].map((block) => block['tool_use_id']);
    // Searches of the last turn may still run: the provider continues them.
    const isOver = messages
      .slice(index + 1)
      .flatMap(({ content }) => objects(content))
      .some(({ type }) => type === 'text');
    for (const { id, type } of blocks)
      if ((type === 'tool_use' || (type === 'server_tool_use' && isOver)) && !results.includes(id ?? ''))
        return `messages.${index}: ${type} ${named(id)} was found without a corresponding result`;
  }
  return undefined;
};

/**
 * The rules of the Responses API. @param kept the numbers of the requests whose responses were
 * completed, and so are stored.
 */
export const responsesRefusal =
  (kept: ReadonlySet<string>): Refusal =>
  ({ body }) => {
    const items = objects(body['input']);
    const lost = items.find(({ id, type }) => type === 'item_reference' && !kept.has(named(id).split('_')[1] ?? ''));
    if (lost !== undefined) return `Item with id '${named(lost['id'])}' not found.`;
    for (const [index, item] of items.entries()) {
      const next = items[index + 1];
      const isReasoning = (one: JsonObject | undefined): boolean =>
        one?.['type'] === 'reasoning' || named(one?.['id']).startsWith('rs_');
      if (isReasoning(item) && (next === undefined || next['role'] === 'user'))
        return `Item '${named(item['id'])}' of type 'reasoning' was provided without its required following item.`;
      const isAnswered = items.some(
        ({ call_id, type }) => type === 'function_call_output' && call_id === item['call_id'],
      );
      if (item['type'] === 'function_call' && !isAnswered)
        return `No tool output found for function call ${named(item['call_id'])}.`;
    }
    return undefined;
  };

/** The rules of chat completions. */
export const chatRefusal: Refusal = ({ body }) => {
  const messages = objects(body['messages']);
  for (const [index, { content, role, tool_calls }] of messages.entries()) {
    const calls = objects(tool_calls);
    if (role === 'assistant' && calls.length === 0 && (content === '' || content === null || content === undefined))
      return `messages.${index}: an assistant message must have content or tool calls`;
    if (role === 'user' && Array.isArray(content) && content.length === 0) return `messages.${index}: no content`;
    const answered = messages.slice(index + 1, index + 1 + calls.length).map((message) => message['tool_call_id']);
    if (calls.some(({ id }) => !answered.includes(id ?? ''))) return `messages.${index}: tool_calls without results`;
  }
  return undefined;
};

/** The rules of Amazon Bedrock's Converse, with a model of Anthropic. */
export const bedrockRefusal: Refusal = ({ body }) => {
  const messages = objects(body['messages']);
  const [first] = messages;
  if (first?.['role'] !== 'user') return 'A conversation must start with a user message.';
  if (objects(body['system']).some(({ text }) => isBlank(text))) return 'The text field in system is blank.';
  for (const [index, { content, role }] of messages.entries()) {
    const blocks = objects(content);
    const at = `messages.${index}.content`;
    if (role === messages[index - 1]?.['role']) return `${at}: roles must alternate between "user" and "assistant"`;
    if (blocks.length === 0) return `The content field in the Message object at messages.${index} is empty.`;
    const reason = blocks.map((block) => blockRefusal(block, role)).find((why) => why !== undefined);
    if (reason !== undefined) return `${at}: ${reason}`;
    if (role === 'assistant' && 'reasoningContent' in (blocks.at(-1) ?? {}))
      return `${at}: the final block in an assistant message cannot be thinking`;
    const uses = idsOf(blocks, 'toolUse');
    if (new Set(uses).size < uses.length) return `${at}: tool_use ids must be unique`;
    const results = idsOf(objects(messages[index + 1]?.['content']), 'toolResult');
    if (uses.some((id) => !results.includes(id))) return `${at}: expected toolResult blocks for ${uses.join()}`;
    const expected = idsOf(objects(messages[index - 1]?.['content']), 'toolUse');
    if (idsOf(blocks, 'toolResult').length > expected.length)
      return `The number of toolResult blocks at ${at} exceeds the number of toolUse blocks of previous turn.`;
    if (uses.length > 0 && !('toolConfig' in body)) return `${at}: toolUse blocks need the toolConfig field`;
  }
  return undefined;
};

/** Why Bedrock refuses a block of a message. */
function blockRefusal(block: JsonObject, role: JsonValue | undefined): string | undefined {
  const { reasoningContent, text, toolResult, toolUse } = block;
  if (text !== undefined && isBlank(text)) return 'the text field is blank';
  if (isJsonObject(toolUse)) {
    if (role !== 'assistant') return 'toolUse blocks belong to the assistant';
    const { input, name, toolUseId } = toolUse;
    if (!bedrockName.test(named(name))) return `toolUse.name '${named(name)}' failed to satisfy its pattern`;
    if (!bedrockName.test(named(toolUseId))) return `toolUseId '${named(toolUseId)}' failed to satisfy its pattern`;
    if (!isJsonObject(input)) return 'toolUse.input is no object';
  }
  if (isJsonObject(toolResult)) {
    if (role !== 'user') return 'toolResult blocks belong to the user';
    if (objects(toolResult['content']).some((part) => 'text' in part && isBlank(part['text'])))
      return 'the text field of a toolResult is blank';
  }
  if (!isJsonObject(reasoningContent)) return undefined;
  if (role !== 'assistant') return 'reasoningContent blocks belong to the assistant';
  const { reasoningText } = reasoningContent;
  return isJsonObject(reasoningText) && named(reasoningText['signature']) === ''
    ? 'reasoningContent without its signature'
    : undefined;
}

const bedrockName = /^[a-zA-Z0-9_-]{1,64}$/;

function idsOf(blocks: readonly JsonObject[], kind: 'toolUse' | 'toolResult'): readonly string[] {
  return blocks.flatMap(({ [kind]: block }) => (isJsonObject(block) ? [named(block['toolUseId'])] : []));
}

function isBlank(text: JsonValue | undefined): boolean {
  return named(text).trim() === '';
}

/** The rules of Google's generateContent. */
export const googleRefusal: Refusal = ({ body }) => {
  const contents = objects(body['contents']);
  const empty = contents.findIndex(({ parts }) => objects(parts).length === 0);
  return empty === -1 ? undefined : `contents[${empty}].parts must not be empty`;
};

/** Every API refuses a file that it cannot read. @param data of the file, in base64. */
export const fileRefusal =
  (data: string): Refusal =>
  ({ body }) =>
    JSON.stringify(body).includes(data) ? 'Could not process image' : undefined;

/** Every model reads prompts up to a size. @param maxLength of the request, in characters. */
export const lengthRefusal =
  (maxLength: number): Refusal =>
  ({ body }) =>
    JSON.stringify(body).length > maxLength ? 'The prompt is too long' : undefined;

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function named(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
