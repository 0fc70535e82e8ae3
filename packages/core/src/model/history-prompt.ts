import type { Message, MessagePart } from '@halyard/contracts';
import type { ModelMessage } from './message.ts';
import type { Prompt } from './model-port.ts';
import { toModelMessages } from './to-model-messages.ts';
import { type FetchFile, toPrompt } from './to-prompt.ts';

/**
 * Stored messages as a prompt. What was said is over: a call that has no result is left out, and so is a message that says nothing; a file that cannot be had any more is named in its place, and
 * a message that cannot be read is left out. Messages of the roles `system` and `tool` are no part of it.
 *
 * @param fetchFile rejects for a file that is not there.
 */
export function historyPrompt(messages: readonly Message[], fetchFile: FetchFile): Prompt | Promise<Prompt> {
  return plainPrompt(messages) ?? convertedPrompt(messages, fetchFile);
}

/** Stored messages as model messages, their files as {@link historyPrompt} has them. `files` gives those that were found. */
export async function readableMessages(
  messages: readonly Message[],
  fetchFile: FetchFile,
): Promise<{ readonly messages: readonly ModelMessage[]; readonly files: FetchFile }> {
  const found = new Map<string, ReturnType<FetchFile>>();
  const urls = messages.flatMap(({ parts }) => parts.flatMap(urlsOf));
  await Promise.all(
    [...new Set(urls)].map(async (url) => {
      const file = URL.canParse(url) ? await fetchFile(url).catch(() => undefined) : undefined;
      if (file !== undefined) found.set(url, Promise.resolve(file));
    }),
  );
  const converted: ModelMessage[] = [];
  for (const message of messages) converted.push(...(await modelMessagesOf(message, found)));
  return { messages: converted, files: (url) => found.get(url) ?? fetchFile(url) };
}

/**
 * The prompt of messages that hold texts alone, as most do: it costs nothing then. Undefined for others. Stored messages may be frozen, and to iterate over what
 * is frozen costs more than all that is done with it.
 */
function plainPrompt(messages: readonly Message[]): Prompt | undefined {
  const prompt: Prompt = [];
  for (let index = 0; index < messages.length; index += 1) {
    const { parts, role } = messages[index] ?? silence;
    if (role !== 'user' && role !== 'assistant') continue;
    if (!(role === 'user' ? addUser(prompt, parts) : addAssistant(prompt, parts))) return undefined;
  }
  return prompt;
}

function addUser(prompt: Prompt, parts: readonly MessagePart[]): boolean {
  let content: TextContent | undefined;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part?.type !== 'text' || part.providerMetadata !== undefined) return false;
    content = withText(content, part.text);
  }
  if (content !== undefined) prompt.push({ role: 'user', content });
  return true;
}

/** Each step of an answer is a message of its own. */
function addAssistant(prompt: Prompt, parts: readonly MessagePart[]): boolean {
  let content: TextContent | undefined;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part?.type === 'step-start') {
      if (content !== undefined) prompt.push({ role: 'assistant', content });
      content = undefined;
    } else {
      if (part?.type !== 'text' || part.providerMetadata !== undefined) return false;
      content = withText(content, part.text);
    }
  }
  if (content !== undefined) prompt.push({ role: 'assistant', content });
  return true;
}

const silence: Pick<Message, 'parts' | 'role'> = { role: 'user', parts: [] };

type TextContent = { type: 'text'; text: string }[];

/** Most contents are one text: an array that is made with it takes far less than one that grows. */
function withText(content: TextContent | undefined, text: string): TextContent | undefined {
  if (text === '') return content;
  if (content === undefined) return [{ type: 'text', text }];
  content.push({ type: 'text', text });
  return content;
}

async function convertedPrompt(messages: readonly Message[], fetchFile: FetchFile): Promise<Prompt> {
  const read = await readableMessages(messages, fetchFile);
  const prompt = await toPrompt(read.messages, none, read.files);
  return prompt.filter(({ content }) => content.length > 0);
}

const none: ReadonlySet<string> = new Set();

function urlsOf(part: MessagePart): string[] {
  const isFile = part.type === 'file' ? part.providerReference === undefined : part.type === 'reasoning-file';
  return isFile && 'url' in part ? [part.url] : [];
}

async function modelMessagesOf(
  { metadata, parts, role }: Message,
  found: ReadonlyMap<string, unknown>,
): Promise<readonly ModelMessage[]> {
  if (role !== 'user' && role !== 'assistant') return [];
  const readable = parts.flatMap((part) => withoutLostFile(part, role, found));
  try {
    return await toModelMessages([{ role, parts: readable, metadata }]);
  } catch {
    return [];
  }
}

function withoutLostFile(
  part: MessagePart,
  role: 'user' | 'assistant',
  found: ReadonlyMap<string, unknown>,
): readonly MessagePart[] {
  const [url] = urlsOf(part);
  if (url === undefined || found.has(url)) return [part];
  // Put into the assistant's mouth it would be something that was said.
  if (role === 'assistant') return [];
  const name = 'filename' in part && part.filename !== undefined ? ` "${part.filename}"` : '';
  return [{ type: 'text', text: `[The file${name} can no longer be read.]` }];
}
