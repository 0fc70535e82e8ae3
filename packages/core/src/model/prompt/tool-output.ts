import type { ToolResultPart } from 'ai';
import { toJson } from '../../json/to-json.ts';
import { type FetchFile, filePart } from '../files/file-part.ts';
import type { JSONValue, PromptToolResult, ToolResultOutput } from '../providers/model-port.ts';

/**
 * A tool's output for a model, in the form of the AI SDK: text, JSON, an error, or `content` with
 * texts and files.
 */
export type ToolModelOutput = ToolResultPart['output'];

/**
 * A tool result as models receive it. Files at a URL are fetched. @throws InvalidInputError for a
 * file that is not accepted.
 */
export async function promptToolResult(
  { output, providerOptions, toolCallId, toolName }: ToolResultPart,
  fetchFile: FetchFile,
): Promise<PromptToolResult> {
  return {
    type: 'tool-result',
    toolCallId,
    toolName,
    output: await promptOutput(output, fetchFile),
    ...(providerOptions && { providerOptions }),
  };
}

/** An output that a tool gives no other form: a text, or JSON. */
export function plainOutput(output: JSONValue): Extract<ToolResultOutput, { type: 'text' | 'json' }> {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output };
}

/** @throws InvalidInputError for a file that is not accepted. */
export async function promptOutput(output: ToolModelOutput, fetchFile: FetchFile): Promise<ToolResultOutput> {
  if (output.type !== 'content') return output;
  const items = await Promise.all(output.value.map((item) => contentItem(item, fetchFile)));
  const value = items.filter((item) => item !== undefined);
  return value.length === items.length ? { type: 'content', value } : { type: 'json', value: toJson(output.value) };
}

type SentItem = Extract<ToolModelOutput, { type: 'content' }>['value'][number];
type PromptItem = Extract<ToolResultOutput, { type: 'content' }>['value'][number];

/**
 * Undefined for an item that no model can read, such as a file without its URL. The forms beside
 * `text`, `file` and `custom` are older ones of the AI SDK.
 */
async function contentItem(item: SentItem, fetchFile: FetchFile): Promise<PromptItem | undefined> {
  const { providerOptions } = item;
  // oxlint-disable-next-line typescript/no-deprecated -- tools may still return the older forms
  switch (item.type) {
    case 'text':
    case 'custom':
      return item;
    case 'file':
      return filePart(item.data, item.mediaType, item.filename, providerOptions, fetchFile);
    case 'file-data':
      return olderFile(item.data, item.mediaType, item.filename, providerOptions, fetchFile);
    case 'image-data':
      return olderFile(item.data, item.mediaType, undefined, providerOptions, fetchFile);
    case 'file-url':
      return olderFile(item.url, item.mediaType ?? 'application', undefined, providerOptions, fetchFile);
    case 'image-url':
      return olderFile(item.url, 'image', undefined, providerOptions, fetchFile);
    case 'file-reference':
      return referenced(item.providerReference, 'application', providerOptions);
    case 'image-file-reference':
      return referenced(item.providerReference, 'image', providerOptions);
    case 'file-id':
      return typeof item.fileId === 'string' ? undefined : referenced(item.fileId, 'application', providerOptions);
    case 'image-file-id':
      return typeof item.fileId === 'string' ? undefined : referenced(item.fileId, 'image', providerOptions);
    default:
      item satisfies never;
      return undefined;
  }
}

/** A message over HTTP may lack the URL or the data. */
async function olderFile(source: unknown, ...file: OlderFile): Promise<PromptItem | undefined> {
  return typeof source === 'string' ? filePart(source, ...file) : undefined;
}

type OlderFile = Parameters<typeof filePart> extends [unknown, ...infer Others] ? Others : never;

function referenced(
  reference: Record<string, string>,
  mediaType: string,
  providerOptions: SentItem['providerOptions'],
): PromptItem {
  return {
    type: 'file',
    mediaType,
    data: { type: 'reference', reference },
    ...(providerOptions && { providerOptions }),
  };
}
