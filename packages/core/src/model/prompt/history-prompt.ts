import type { Message, MessagePart } from '@halyard/contracts';
import { isDataPart } from '../../tool/tool-data.ts';
import type { FetchFile } from '../files/file-part.ts';
import type { ModelMessage } from '../messages/message.ts';
import type { Prompt } from '../providers/model-port.ts';
import { withoutCut } from './cut-step.ts';
import { toModelMessages, type ToolOutputs } from './to-model-messages.ts';
import { toPrompt } from './to-prompt.ts';

/**
 * The prompt with the stored messages. It leaves out messages without content, messages that cannot
 * be read, messages of the roles `system` and `tool`, and reasoning that nothing follows in its
 * step. A file that can no longer be fetched is replaced by a note with its name.
 *
 * @param fetchFile rejects for a file that does not exist.
 */
export async function historyPrompt(
  messages: readonly Message[],
  fetchFile: FetchFile,
  toolOutputs: ToolOutputs = {},
): Promise<Prompt> {
  const plain = textPrompt(messages);
  if (plain !== undefined) return plain;
  const read = await readableMessages(messages, fetchFile, toolOutputs);
  const prompt = await toPrompt(read.messages, new Set(), read.files);
  return prompt.filter(({ content }) => content.length > 0);
}

/**
 * Stored messages as model messages. `files` returns the files that were found; lost files are
 * treated as in {@link historyPrompt}.
 */
export async function readableMessages(
  messages: readonly Message[],
  fetchFile: FetchFile,
  toolOutputs: ToolOutputs,
): Promise<{ readonly messages: readonly ModelMessage[]; readonly files: FetchFile }> {
  const found = new Map<string, ReturnType<FetchFile>>();
  const mediaTypes = new Map(messages.flatMap(({ parts }) => parts.flatMap(linkedFile)));
  await Promise.all(
    [...mediaTypes].map(async ([url, mediaType]) => {
      const file = URL.canParse(url) ? await fetchFile(url, mediaType).catch(() => undefined) : undefined;
      if (file !== undefined) found.set(url, Promise.resolve(file));
    }),
  );
  const converted: ModelMessage[] = [];
  for (const message of messages) converted.push(...(await modelMessagesOf(message, found, toolOutputs)));
  return { messages: converted, files: (url, mediaType) => found.get(url) ?? fetchFile(url, mediaType) };
}

/**
 * The prompt of messages that contain only text, as most do; undefined for others. The AI SDK,
 * which converts those, is not loaded for it.
 */
function textPrompt(messages: readonly Message[]): Prompt | undefined {
  const prompt: Prompt = [];
  for (const { parts, role } of messages) {
    if (role !== 'user' && role !== 'assistant') continue;
    let content: { type: 'text'; text: string }[] = [];
    const endMessage = (): void => {
      if (content.length > 0) prompt.push({ role, content });
      content = [];
    };
    for (const part of parts) {
      // Each step of a reply is a message.
      if (part.type === 'step-start' && role === 'assistant') endMessage();
      else if (isDataPart(part)) continue;
      else if (part.type !== 'text' || part.providerMetadata !== undefined) return undefined;
      else if (part.text !== '') content.push({ type: 'text', text: part.text });
    }
    endMessage();
  }
  return prompt;
}

/** The URL of a file with its media type. */
function linkedFile(part: MessagePart): [url: string, mediaType: string][] {
  if (part.type !== 'file' && part.type !== 'reasoning-file') return [];
  return 'providerReference' in part && part.providerReference !== undefined ? [] : [[part.url, part.mediaType]];
}

async function modelMessagesOf(
  { metadata, parts, role }: Message,
  found: ReadonlyMap<string, unknown>,
  toolOutputs: ToolOutputs,
): Promise<readonly ModelMessage[]> {
  if (role !== 'user' && role !== 'assistant') return [];
  const readable = withoutUnfinishedSteps(withoutCut(parts)).flatMap((part) => withoutLostFile(part, role, found));
  try {
    return await toModelMessages([{ role, parts: readable, metadata }], toolOutputs);
  } catch {
    return [];
  }
}

/**
 * An abort can leave reasoning at the end of a step. OpenAI refuses reasoning without the text or
 * call that it led to.
 */
function withoutUnfinishedSteps(parts: readonly MessagePart[]): readonly MessagePart[] {
  const readable: MessagePart[] = [];
  let isFollowed = false;
  for (const part of parts.toReversed()) {
    if (part.type === 'step-start') isFollowed = false;
    else if (isOutput(part)) isFollowed = true;
    if (part.type !== 'reasoning' || isFollowed) readable.push(part);
  }
  return readable.toReversed();
}

/** Whether a prompt contains something for this part that reasoning can lead to. */
function isOutput(part: MessagePart): boolean {
  if ('toolCallId' in part) return part.state !== 'input-streaming';
  if (part.type === 'text') return part.text !== '' || part.providerMetadata !== undefined;
  return part.type === 'file' || part.type === 'reasoning-file' || part.type === 'custom';
}

function withoutLostFile(
  part: MessagePart,
  role: 'user' | 'assistant',
  found: ReadonlyMap<string, unknown>,
): readonly MessagePart[] {
  const [url] = linkedFile(part)[0] ?? [];
  if (url === undefined || found.has(url)) return [part];
  // As a text of the assistant, the note would be a part of its reply.
  if (role === 'assistant') return [];
  const name = 'filename' in part && part.filename !== undefined ? ` "${part.filename}"` : '';
  return [{ type: 'text', text: `[The file${name} can no longer be read.]` }];
}
