import { type FetchFile, locateFile } from '../../model/files/file-part.ts';
import type { InputUIMessage, ModelMessage } from '../../model/messages/message.ts';
import type { JSONValue } from '../../model/providers/model-port.ts';
import { type BoundProcessor, inputPasses } from './bound-processor.ts';
import { processValue } from './process-value.ts';
import type { InputSource } from './processor.ts';
import { passText, TextChannel } from './text-channel.ts';
import { isTextFile, processFile } from './text-file.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Passes the texts of a request through the input processors. @throws GuardrailBlockedError,
 * ProcessorFailedError
 */
export class InputCheck {
  readonly #processors: readonly BoundProcessor[];
  readonly isNeeded: boolean;

  constructor(processors: readonly BoundProcessor[]) {
    this.#processors = processors.filter(({ processor }) => processor.processInput !== undefined);
    this.isNeeded = this.#processors.length > 0;
  }

  /** Checks the responses that a client adds to stored calls. */
  async responses<Response extends object>(responses: readonly Response[]): Promise<readonly Response[]> {
    if (!this.isNeeded) return responses;
    const checked: Response[] = [];
    for (const response of responses)
      checked.push(await this.#fields(response, ['errorText', 'input', 'output', 'reason']));
    return checked;
  }

  /**
   * Messages in either form. Arguments of tool calls and reasoning stay as they are: they may be
   * signed.
   */
  async messages<M extends InputUIMessage | ModelMessage>(messages: readonly M[]): Promise<readonly M[]> {
    if (!this.isNeeded) return messages;
    const checked: M[] = [];
    for (const message of messages) checked.push(await this.#message(message));
    return checked;
  }

  /** Text files pass the processors whenever they are read. */
  files(fetchFile: FetchFile): FetchFile {
    if (!this.isNeeded) return fetchFile;
    return async (url, mediaType) => {
      const file = await fetchFile(url, mediaType);
      if ('passedOn' in file || !(isTextFile(mediaType) || isTextFile(file.mediaType))) return file;
      return { ...file, data: await processFile(inputPasses(this.#processors, 'file'), file.data) };
    };
  }

  async #text(source: InputSource, text: string): Promise<string> {
    return passText(inputPasses(this.#processors, source), text);
  }

  async #message<M extends InputUIMessage | ModelMessage>(message: M): Promise<M> {
    const field = 'parts' in message ? 'parts' : 'content';
    const content: string | readonly object[] = 'parts' in message ? message.parts : message.content;
    const checked =
      typeof content === 'string'
        ? await this.#text(message.role, content)
        : await this.#parts(message.role, content.map(readFields));
    return { ...message, [field]: checked };
  }

  async #parts(role: InputSource, parts: readonly Fields[]): Promise<readonly Fields[]> {
    const channel = new TextChannel(inputPasses(this.#processors, role));
    const texts = parts.flatMap(({ text, type }, index) =>
      type === 'text' && typeof text === 'string' ? [{ block: String(index), text }] : [],
    );
    const passed = new Map<string, string>();
    for (const { block, text } of await channel.add(texts, true)) passed.set(block, (passed.get(block) ?? '') + text);
    const checked: Fields[] = [];
    for (const [index, part] of parts.entries())
      checked.push(part.type === 'text' ? { ...part, text: passed.get(String(index)) ?? '' } : await this.#part(part));
    return checked;
  }

  async #part(part: Fields): Promise<Fields> {
    if (part.type === 'file') return this.#file(part);
    if (part.type === 'tool-result' && isFields(part.output))
      return { ...part, output: await this.#output(part.output) };
    const { approval } = part;
    // A person gives the arguments of a response.
    const given = part.type === 'tool-approval-response' ? ['input', 'reason'] : ['errorText', 'output', 'reason'];
    const checked = await this.#fields(part, given);
    return isFields(approval) ? { ...checked, approval: await this.#fields(approval, ['input', 'reason']) } : checked;
  }

  /** A result in the form of model messages. */
  async #output(output: Fields): Promise<Fields> {
    const checked = await this.#fields(output, ['reason', 'value']);
    // A list of contents that does not pass as such has become a text.
    return output.type === 'content' && typeof checked.value === 'string' ? { ...checked, type: 'text' } : checked;
  }

  async #fields<Checked extends object>(checked: Checked, names: readonly string[]): Promise<Checked> {
    const passes = inputPasses(this.#processors, 'tool');
    const changed: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(checked) as [string, JSONValue | undefined][])
      if (names.includes(name) && value !== undefined) changed[name] = await processValue(passes, value);
    return { ...checked, ...changed };
  }

  /** Files at a URL, also a `data:` URL, are checked when they are fetched. */
  async #file(part: Fields): Promise<Fields> {
    if (!isTextFile(typeof part.mediaType === 'string' ? part.mediaType : undefined) || part.data === undefined)
      return part;
    const place = locateFile(part.data);
    if (place.type === 'text') return { ...part, data: { type: 'text', text: await this.#text('file', place.text) } };
    if (place.type !== 'data') return part;
    return { ...part, data: await processFile(inputPasses(this.#processors, 'file'), place.data) };
  }
}

function readFields(part: object): Fields {
  return { ...part };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
