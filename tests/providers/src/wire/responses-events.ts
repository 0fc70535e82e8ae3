import type { JsonObject } from '@halyard/contracts';
import {
  citationJson,
  type ContentPart,
  contentJson,
  type ItemStatus,
  type OutputItem,
  outputItemJson,
  type Pieces,
  summaryJson,
} from './responses-output.ts';

/** Writes one event; `chunk` marks events with output. */
export type Emit = (type: string, fields: JsonObject, role?: 'chunk') => void;

/** The events of one output item, from `added` to `done`. */
export function emitOutputItem(emit: Emit, item: OutputItem, outputIndex: number, status: ItemStatus): void {
  const place = { item_id: item.id, output_index: outputIndex };
  emit('response.output_item.added', { output_index: outputIndex, item: outputItemJson(item, 'in_progress') });
  switch (item.type) {
    case 'reasoning':
      item.summary.forEach((pieces, index) => emitSummary(emit, { ...place, summary_index: index }, pieces));
      break;
    case 'compaction':
    case 'mcp':
    case 'web_search_call':
      break;
    case 'message':
      item.content.forEach((part, index) => emitContent(emit, { ...place, content_index: index }, part));
      break;
    case 'function_call':
      for (const delta of item.pieces) emit('response.function_call_arguments.delta', { ...place, delta }, 'chunk');
      emit('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.pieces.join('') });
      break;
    default:
      item satisfies never;
  }
  emit('response.output_item.done', { output_index: outputIndex, item: outputItemJson(item, status) });
}

function emitSummary(emit: Emit, place: JsonObject, pieces: Pieces): void {
  const text = pieces.join('');
  emit('response.reasoning_summary_part.added', { ...place, part: summaryJson('') });
  for (const delta of pieces) emit('response.reasoning_summary_text.delta', { ...place, delta }, 'chunk');
  emit('response.reasoning_summary_text.done', { ...place, text });
  emit('response.reasoning_summary_part.done', { ...place, part: summaryJson(text) });
}

function emitContent(emit: Emit, place: JsonObject, part: ContentPart): void {
  const { type, pieces, sources } = part;
  const event = type === 'refusal' ? 'response.refusal' : 'response.output_text';
  const text = pieces.join('');
  emit('response.content_part.added', { ...place, part: contentJson(part, '') });
  for (const delta of pieces) emit(`${event}.delta`, { ...place, delta }, 'chunk');
  sources.forEach((source, index) =>
    emit('response.output_text.annotation.added', {
      ...place,
      annotation_index: index,
      annotation: citationJson(source),
    }),
  );
  emit(`${event}.done`, { ...place, ...(type === 'refusal' ? { refusal: text } : { text }) });
  emit('response.content_part.done', { ...place, part: contentJson(part, text) });
}
