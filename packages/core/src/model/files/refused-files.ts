import type { Message, MessagePart } from '@halyard/contracts';
import type { Prompt, PromptFilePart, PromptMessage, ProviderOptions, ResolvedModel } from '../providers/model-port.ts';

type Model = Pick<ResolvedModel, 'modelId' | 'provider'>;

/** A model that failed, and how. */
export interface ModelFailure {
  readonly model: Model;
  readonly error: unknown;
}

/** A request with files that every model refused or failed to answer. */
export interface FileRefusal {
  /** The models that refused it, as marks name them. */
  readonly models: readonly string[];
  /** The calls with files in their results that no model has replied yet. */
  readonly newCalls: ReadonlySet<string>;
  /** All calls with files in their results. */
  readonly allCalls: ReadonlySet<string>;
  /** Whether the error names a kind of file. A status 400 may have other reasons. */
  readonly isCertain: boolean;
}

/**
 * The statuses with which providers refuse a file: it is damaged, too large, or of a type that the
 * model does not read.
 */
const refusedStatuses: ReadonlySet<unknown> = new Set([400, 413, 415, 422]);
/** The last one is said by APIs that know only texts. */
const aboutFiles =
  /\b(?:audio|documents?|downloads?|files?|images?|media|pdfs?|references?|urls?)(?:\b|_)|content must be a string/i;
/** The errors of provider packages whose API has no form for a file. */
const unsupported: ReadonlySet<unknown> = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_NoSuchProviderReferenceError',
]);

/**
 * The files that a failed request names or implies. Undefined if its prompt has none, or no model
 * has refused it.
 */
export function fileRefusal(prompt: Prompt, failures: readonly ModelFailure[]): FileRefusal | undefined {
  if (!prompt.some(hasFile)) return undefined;
  const refused = failures.filter(({ error }) => isRefusal(error));
  if (refused.length === 0) return undefined;
  const lastReply = prompt.findLastIndex(({ role }) => role === 'assistant');
  return {
    models: [...new Set(refused.map(({ model }) => readMark(model)))],
    newCalls: new Set(prompt.slice(lastReply + 1).flatMap(callsWithFiles)),
    allCalls: new Set(prompt.flatMap(callsWithFiles)),
    isCertain: refused.some(({ error }) => isAboutFiles(error)),
  };
}

function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, name, statusCode = code }: ReportedError = error;
  // A file that was uploaded to the provider may be gone.
  return unsupported.has(name) || refusedStatuses.has(statusCode) || (statusCode === 404 && isAboutFiles(error));
}

/**
 * The fields of what models throw that are used here. In streams, some providers report the status
 * as `code`.
 */
interface ReportedError {
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly code?: unknown;
}

function isAboutFiles(error: unknown): boolean {
  return error instanceof Error && aboutFiles.test(error.message);
}

/**
 * The stored messages that {@link refusedMessages} needs: those since the last reply, and those
 * with marks; all if the refusal is certain.
 */
export function findSuspects(messages: readonly Message[], { isCertain }: FileRefusal): readonly Message[] {
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.filter(({ parts }, index) => isCertain || index >= lastReply || hasMarks(parts));
}

/**
 * The messages whose files are to be marked, with their marks: those that no message of the
 * assistant follows, which a model would have written only if it had read them, and those that
 * another model has refused. If there are none and the refusal is certain, all files: the agent has
 * another model than before.
 *
 * @param messages in the order of the conversation.
 */
export function refusedMessages(messages: readonly Message[], refusal: FileRefusal): readonly Message[] {
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant');
  const { allCalls, isCertain, models, newCalls } = refusal;
  const isChanged = (message: Message, index: number): boolean => message !== messages[index];
  const marked = messages.map((one, index) => withMarks(one, models, newCalls, index > lastReply)).filter(isChanged);
  if (marked.length > 0 || !isCertain) return marked;
  return messages.map((one) => withMarks(one, models, allCalls, true)).filter(isChanged);
}

function withMarks(
  message: Message,
  models: readonly string[],
  toolCallIds: ReadonlySet<string>,
  isNew: boolean,
): Message {
  const parts = message.parts.map((part): MessagePart => {
    if ('toolCallId' in part) {
      const { callProviderMetadata } = part;
      if (!toolCallIds.has(part.toolCallId) || areAllIn(models, callProviderMetadata)) return part;
      return { ...part, callProviderMetadata: withMark(callProviderMetadata, models) };
    }
    if (part.type !== 'file' || areAllIn(models, part.providerMetadata)) return part;
    if (!isNew && refusedBy(part.providerMetadata).length === 0) return part;
    return { ...part, providerMetadata: withMark(part.providerMetadata, models) };
  });
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
}

/**
 * The parts as a client sends them: the question is asked with its files, whichever model has
 * refused them before.
 */
export function withoutMarks(parts: readonly MessagePart[]): MessagePart[] {
  return parts.map((part) => {
    if (part.type !== 'file' || refusedBy(part.providerMetadata).length === 0) return part;
    const { providerMetadata: { halyard: _, ...others } = {}, ...file } = part;
    return Object.keys(others).length === 0 ? file : { ...file, providerMetadata: others };
  });
}

export function hasMarks(parts: readonly MessagePart[]): boolean {
  return parts.some((part) => part.type === 'file' && refusedBy(part.providerMetadata).length > 0);
}

/**
 * The message as this model receives it: a note with its name replaces a file that the model has
 * refused.
 */
export function withoutRefusedFiles(message: PromptMessage, model: Model): PromptMessage {
  const mark = readMark(model);
  const isRefused = ({ providerOptions }: { readonly providerOptions?: ProviderOptions }): boolean =>
    refusedBy(providerOptions).includes(mark);
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      if (!message.content.some(isRefused)) return message;
      return {
        ...message,
        content: message.content.map((part) => (part.type === 'file' && isRefused(part) ? toNote(part) : part)),
      };
    case 'assistant':
      if (!message.content.some((part) => part.type === 'file' && isRefused(part))) return message;
      // As a text of the assistant, the note would be a part of its reply.
      return { ...message, content: message.content.filter((part) => part.type !== 'file' || !isRefused(part)) };
    case 'tool':
      if (!message.content.some(isRefused)) return message;
      return {
        ...message,
        content: message.content.map((part) => {
          if (part.type !== 'tool-result' || part.output.type !== 'content' || !isRefused(part)) return part;
          const value = part.output.value.map((item) => (item.type === 'file' ? toNote(item) : item));
          return { ...part, output: { ...part.output, value } };
        }),
      };
    default:
      return message satisfies never;
  }
}

function toNote({ filename }: Pick<PromptFilePart, 'filename'>): { type: 'text'; text: string } {
  const name = filename === undefined ? '' : ` "${filename}"`;
  return { type: 'text', text: `[The file${name} cannot be read by this model.]` };
}

function hasFile(message: PromptMessage): boolean {
  if (message.role === 'system') return false;
  return message.content.some(({ type }) => type === 'file') || callsWithFiles(message).length > 0;
}

function callsWithFiles(message: PromptMessage): readonly string[] {
  if (message.role !== 'tool') return [];
  return message.content.flatMap((part) =>
    part.type === 'tool-result' &&
    part.output.type === 'content' &&
    part.output.value.some(({ type }) => type === 'file')
      ? [part.toolCallId]
      : [],
  );
}

/** Another model may read a file that one refuses. */
function readMark({ modelId, provider }: Model): string {
  return `${provider}/${modelId}`;
}

type Metadata = NonNullable<Extract<MessagePart, { type: 'file' }>['providerMetadata']>;

/** The models that have refused a file. Clients can write the metadata. */
function refusedBy(metadata: Readonly<Record<string, unknown>> | null | undefined): readonly unknown[] {
  const { halyard } = metadata ?? {};
  if (typeof halyard !== 'object' || halyard === null || !('refusedBy' in halyard)) return [];
  return Array.isArray(halyard.refusedBy) ? halyard.refusedBy : [];
}

function areAllIn(models: readonly string[], metadata: Metadata | null | undefined): boolean {
  const known = refusedBy(metadata);
  return models.every((model) => known.includes(model));
}

/** Providers read metadata of their own name only. */
function withMark(metadata: Metadata | null | undefined, models: readonly string[]): Metadata {
  const known = refusedBy(metadata).filter((model) => typeof model === 'string');
  return { ...metadata, halyard: { ...metadata?.['halyard'], refusedBy: [...new Set([...known, ...models])] } };
}
