import type { JsonObject } from '@halyard/contracts';
import type { RecordedRequest } from './recorded-request.ts';
import {
  type ReplyScript,
  chunks,
  type McpScript,
  type SourceScript,
  textChunks,
  toolCallArguments,
  toolCallId,
  type WebSearchScript,
} from './script.ts';

/** One item of a response's `output`, split into stream chunks. */
export type OutputItem =
  | {
      readonly type: 'reasoning';
      readonly id: string;
      readonly summary: readonly Pieces[];
      readonly encrypted: string | undefined;
    }
  | { readonly type: 'compaction'; readonly id: string; readonly encrypted: string }
  | { readonly type: 'mcp'; readonly id: string; readonly call: McpScript }
  | { readonly type: 'web_search_call'; readonly id: string; readonly search: WebSearchScript }
  | { readonly type: 'message'; readonly id: string; readonly content: readonly ContentPart[] }
  | {
      readonly type: 'function_call';
      readonly id: string;
      readonly callId: string;
      readonly name: string;
      readonly pieces: Pieces;
    };

export interface ContentPart {
  readonly type: 'output_text' | 'refusal';
  readonly pieces: Pieces;
  readonly sources: readonly SourceScript[];
}

export type Pieces = readonly string[];

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/**
 * The items of a script: compaction, reasoning, what the provider executed, message, function
 * calls.
 */
export function outputItems(script: ReplyScript, { number, body }: RecordedRequest): readonly OutputItem[] {
  const include = body['include'];
  const wantsEncrypted = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  const items: OutputItem[] = [];

  if (script.compaction !== undefined)
    items.push({ type: 'compaction', id: `cmp_${number}`, encrypted: script.compaction });
  if (script.reasoning !== undefined) {
    items.push({
      type: 'reasoning',
      id: `rs_${number}`,
      summary: script.reasoning.map((part) => chunks(part, script.chunkSize)),
      encrypted: wantsEncrypted ? `encrypted reasoning ${number}` : undefined,
    });
  }
  if (script.webSearch !== undefined)
    items.push({ type: 'web_search_call', id: `ws_${number}`, search: script.webSearch });
  if (script.mcp !== undefined)
    items.push({
      type: 'mcp',
      id: script.mcp.output === undefined ? `mcpr_${number}` : `mcp_${number}`,
      call: script.mcp,
    });
  const content = messageContent(script);
  if (content.length > 0) items.push({ type: 'message', id: `msg_${number}`, content });

  (script.toolCalls ?? []).forEach((call, index) => {
    items.push({
      type: 'function_call',
      id: `fc_${number}_${index}`,
      callId: toolCallId(call, number, index),
      name: call.name,
      pieces: chunks(toolCallArguments(call), script.chunkSize),
    });
  });
  return items;
}

function messageContent(script: ReplyScript): readonly ContentPart[] {
  const content: ContentPart[] = [];
  if (script.text !== undefined || script.object !== undefined)
    content.push({ type: 'output_text', pieces: textChunks(script), sources: script.sources ?? [] });
  if (script.refusal !== undefined)
    content.push({ type: 'refusal', pieces: chunks(script.refusal, script.chunkSize), sources: [] });
  return content;
}

/** An item as JSON: complete when it is done, empty while it is in progress. */
export function outputItemJson(item: OutputItem, status: ItemStatus): JsonObject {
  const isDone = status !== 'in_progress';
  switch (item.type) {
    case 'reasoning':
      return {
        type: 'reasoning',
        id: item.id,
        summary: isDone ? item.summary.map((pieces) => summaryJson(pieces.join(''))) : [],
        ...(item.encrypted !== undefined && { encrypted_content: item.encrypted }),
      };
    case 'compaction':
      return { type: 'compaction', id: item.id, encrypted_content: item.encrypted };
    case 'mcp':
      return mcpItem(item, status);
    case 'web_search_call':
      return { type: 'web_search_call', id: item.id, status, ...(isDone && { action: searchAction(item.search) }) };
    case 'message':
      return {
        type: 'message',
        id: item.id,
        status,
        role: 'assistant',
        content: isDone ? item.content.map((part) => contentJson(part, part.pieces.join(''))) : [],
      };
    case 'function_call':
      return {
        type: 'function_call',
        id: item.id,
        call_id: item.callId,
        name: item.name,
        arguments: isDone ? item.pieces.join('') : '',
        status,
      };
    default:
      return item satisfies never;
  }
}

function mcpItem({ call, id }: Extract<OutputItem, { type: 'mcp' }>, status: ItemStatus): JsonObject {
  const { input, name, output } = call;
  const fields = { id, server_label: 'server', name, arguments: JSON.stringify(input) };
  return output === undefined
    ? { type: 'mcp_approval_request', ...fields }
    : { type: 'mcp_call', ...fields, status, output: status === 'in_progress' ? null : output, error: null };
}

export function summaryJson(text: string): JsonObject {
  return { type: 'summary_text', text };
}

/** The part with as much of its text as is sent; the sources come with the complete text. */
export function contentJson({ type, sources }: ContentPart, text: string): JsonObject {
  if (type === 'refusal') return { type, refusal: text };
  return { type, text, annotations: text === '' ? [] : sources.map(citationJson), logprobs: [] };
}

export function citationJson({ url, title }: SourceScript): JsonObject {
  return { type: 'url_citation', url, title, start_index: 0, end_index: 1 };
}

function searchAction({ query, results }: WebSearchScript): JsonObject {
  return { type: 'search', query, sources: results.map(({ url }) => ({ type: 'url', url })) };
}
