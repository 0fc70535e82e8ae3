import type { JsonObject } from '@halyard/contracts';
import type { RecordedRequest } from './recorded-request.ts';
import { type AnswerScript, chunks, textChunks, toolCallArguments, toolCallId } from './script.ts';

/** One item of a response's `output`, split into stream chunks. */
export type OutputItem =
  | {
      readonly type: 'reasoning';
      readonly id: string;
      readonly summary: readonly Pieces[];
      readonly encrypted: string | undefined;
    }
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
}

export type Pieces = readonly string[];

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** The items of a script: reasoning, message, function calls. */
export function outputItems(script: AnswerScript, { number, body }: RecordedRequest): readonly OutputItem[] {
  const include = body['include'];
  const wantsEncrypted = Array.isArray(include) && include.includes('reasoning.encrypted_content');
  const items: OutputItem[] = [];

  if (script.reasoning !== undefined) {
    items.push({
      type: 'reasoning',
      id: `rs_${number}`,
      summary: script.reasoning.map((part) => chunks(part, script.chunkSize)),
      encrypted: wantsEncrypted ? `encrypted reasoning ${number}` : undefined,
    });
  }
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

function messageContent(script: AnswerScript): readonly ContentPart[] {
  const content: ContentPart[] = [];
  if (script.text !== undefined || script.object !== undefined)
    content.push({ type: 'output_text', pieces: textChunks(script) });
  if (script.refusal !== undefined) content.push({ type: 'refusal', pieces: chunks(script.refusal, script.chunkSize) });
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
    case 'message':
      return {
        type: 'message',
        id: item.id,
        status,
        role: 'assistant',
        content: isDone ? item.content.map((part) => contentJson(part.type, part.pieces.join(''))) : [],
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

export function summaryJson(text: string): JsonObject {
  return { type: 'summary_text', text };
}

export function contentJson(type: ContentPart['type'], text: string): JsonObject {
  return type === 'refusal' ? { type, refusal: text } : { type, text, annotations: [], logprobs: [] };
}
