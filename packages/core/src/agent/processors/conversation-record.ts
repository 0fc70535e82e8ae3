import { cutText, type Message, type MessagePart } from '@halyard/contracts';
import { summaryText } from '../../conversation/summary.ts';
import { textTokens } from './estimate-tokens.ts';
import type { Exchange } from './exchanges.ts';

/** The input of a summary. */
export interface ConversationRecord {
  /**
   * A line of JSON for the summary so far and for each message: no text of a message can look like
   * the next one.
   */
  readonly text: string;
  /** How many of the exchanges it contains. */
  readonly exchanges: number;
}

/** In UTF-16 units. A shorter text says nothing. */
const shortest = 40;

/**
 * The oldest exchanges, as many as fit. Long texts and tool results are cut. The first exchange is
 * always part of it, however much of it must be cut.
 *
 * @param summary of the messages before.
 */
export function conversationRecord(
  summary: Message | undefined,
  exchanges: readonly Exchange[],
  maxTokens: number,
): ConversationRecord {
  const lines = summary === undefined ? [] : [toLine('summary so far', { text: summaryText(summary) })];
  let room = maxTokens - lines.reduce((sum, line) => sum + textTokens(line), 0);
  let count = 0;
  for (const exchange of exchanges) {
    const fitting = count === 0 ? fittingLines(exchange, room) : toLines(exchange, longestText(maxTokens));
    const tokens = fitting.reduce((sum, line) => sum + textTokens(line), 0);
    if (count > 0 && tokens > room) break;
    lines.push(...fitting);
    room -= tokens;
    count += 1;
  }
  return { text: lines.join('\n'), exchanges: count };
}

/** One text takes an eighth of the record at most. */
function longestText(maxTokens: number): number {
  return Math.max(shortest, Math.floor(maxTokens / 2));
}

function fittingLines(exchange: Exchange, maxTokens: number): string[] {
  const tokensOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + textTokens(line), 0);
  for (let length = longestText(maxTokens); length >= shortest; length = Math.floor(length / 2)) {
    const lines = toLines(exchange, length);
    if (tokensOf(lines) <= maxTokens) return lines;
  }
  // An exchange of very many calls: the question and the end of the reply.
  const all = toLines(exchange, shortest);
  const lines = all.slice(0, 1);
  for (const line of all.slice(1).toReversed()) {
    if (tokensOf([...lines, line]) > maxTokens) break;
    lines.splice(1, 0, line);
  }
  return lines;
}

function toLines(exchange: Exchange, maxLength: number): string[] {
  return exchange.flatMap(({ parts, role }) => parts.flatMap((part) => lineOfPart(role, part, maxLength)));
}

function lineOfPart(role: string, part: MessagePart, maxLength: number): readonly string[] {
  if ('toolCallId' in part) return [toLine('tool', toCall(part, maxLength))];
  if (part.type === 'text') return part.text === '' ? [] : [toLine(role, { text: cut(part.text, maxLength) })];
  if (part.type === 'file') return [toLine(role, { file: cut(part.filename ?? part.mediaType, maxLength) })];
  return [];
}

function toCall(part: Extract<MessagePart, { toolCallId: string }>, maxLength: number): object {
  const name = part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
  const call = { name, input: cut(toText(part.input), maxLength) };
  if (part.state === 'output-available') return { ...call, result: cut(toText(part.output), maxLength) };
  return part.state === 'output-error' ? { ...call, error: cut(part.errorText, maxLength) } : call;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${cutText(text, maxLength).toWellFormed()} […]`;
}

function toLine(from: string, content: object): string {
  return JSON.stringify({ from, ...content });
}
