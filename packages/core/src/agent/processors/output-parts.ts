import type { JSONValue, ModelPart } from '../../model/providers/model-port.ts';
import { parseArguments } from '../tools/parse-arguments.ts';
import { type BoundProcessor, outputPasses } from './bound-processor.ts';
import { processValue } from './process-value.ts';
import type { OutputSource } from './processor.ts';
import { type Piece, TextChannel } from './text-channel.ts';
import { isTextFile, processFile } from './text-file.ts';

type Part<Type extends ModelPart['type']> = Extract<ModelPart, { type: Type }>;

/** A block of text. Its own id is unique: some models use one id for several blocks. */
interface TextBlock {
  readonly id: string;
  readonly sentId: string;
  /** Not passed on yet: an earlier block is still being written. */
  waiting: string;
  end: Part<'text-end'> | undefined;
}

/**
 * The parts of one model call as output processors return them. Parts that cannot be processed,
 * such as arguments that are still being written, are left out. Blocks of text end when the step
 * does, since a processor may hold their text until then.
 */
export class OutputParts {
  readonly #processors: readonly BoundProcessor[];
  readonly #text: TextChannel;
  readonly #blocks: TextBlock[] = [];
  /** Position of the block whose text is passed on now. */
  #current = 0;

  constructor(processors: readonly BoundProcessor[]) {
    this.#processors = processors;
    this.#text = new TextChannel(outputPasses(processors, 'text'));
  }

  /**
   * Takes the next part. @returns the parts that can go on now. @throws GuardrailBlockedError,
   * ProcessorFailedError
   */
  async read(part: ModelPart): Promise<readonly ModelPart[]> {
    switch (part.type) {
      case 'text-start':
        return [{ ...part, id: this.#startBlock(part.id).id }];
      case 'text-delta':
        return this.#textDelta(part);
      case 'text-end':
        return this.#textEnd(part);
      case 'finish':
        return [...(await this.#finishText()), part];
      case 'tool-input-delta':
        return [];
      case 'tool-call': {
        const input = parseArguments(part.input);
        const passed = await this.#value('tool-call', input);
        return [passed === input ? part : { ...part, input: JSON.stringify(passed) }];
      }
      case 'tool-result': {
        const result = (await this.#value('tool-result', part.result)) ?? '';
        return [{ ...part, result }];
      }
      case 'source':
        return [await this.#source(part)];
      case 'file':
        return [await this.#file(part)];
      default:
        return [part];
    }
  }

  #startBlock(sentId: string): TextBlock {
    const isUsed = this.#blocks.some((block) => block.sentId === sentId);
    const id = isUsed ? `${sentId}:${this.#blocks.length}` : sentId;
    const block: TextBlock = { id, sentId, waiting: '', end: undefined };
    this.#blocks.push(block);
    return block;
  }

  /** The block that a delta belongs to. Some providers do not start their blocks. */
  #openBlock(sentId: string): TextBlock | undefined {
    return this.#blocks.findLast((block) => block.sentId === sentId && block.end === undefined);
  }

  async #textDelta({ delta, id, providerMetadata }: Part<'text-delta'>): Promise<readonly ModelPart[]> {
    const block = this.#openBlock(id) ?? this.#startBlock(id);
    block.waiting += delta;
    const ready = await this.#advance();
    // The metadata belongs to the block, whenever its text goes on.
    const earlier: Part<'text-delta'>[] =
      providerMetadata === undefined ? [] : [{ type: 'text-delta', id: block.id, delta: '', providerMetadata }];
    return [...earlier, ...ready];
  }

  /**
   * Citations are left out: they may contain text that was not checked, and the text that they cite
   * may have changed.
   */
  async #textEnd({ citations: _, ...part }: Part<'text-end'>): Promise<readonly ModelPart[]> {
    const block = this.#openBlock(part.id);
    if (block === undefined) return [];
    block.end = { ...part, id: block.id };
    return this.#advance();
  }

  /** Blocks that are written in parallel are passed on one after another. */
  async #advance(): Promise<readonly ModelPart[]> {
    const pieces: Piece[] = [];
    for (; ; this.#current += 1) {
      const block = this.#blocks[this.#current];
      if (block === undefined) break;
      pieces.push({ block: block.id, text: block.waiting });
      block.waiting = '';
      if (block.end === undefined) break;
    }
    return deltas(await this.#text.add(pieces));
  }

  async #finishText(): Promise<readonly ModelPart[]> {
    for (const block of this.#blocks) block.end ??= { type: 'text-end', id: block.id };
    const ready = await this.#advance();
    const rest = deltas(await this.#text.add([], true));
    return [...ready, ...rest, ...this.#blocks.flatMap(({ end }) => end ?? [])];
  }

  /** The metadata of a source may contain the text that it cites. */
  async #source(part: Part<'source'>): Promise<Part<'source'>> {
    const { providerMetadata: _, ...source } = part;
    const { filename, title, url } = { filename: undefined, url: undefined, ...source };
    const shown = Object.entries({ title, url, filename }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const passed = await this.#value('source', Object.fromEntries(shown));
    const isSame = typeof passed === 'object' && passed !== null && !Array.isArray(passed);
    // A title and an address that are only refused together are both left out.
    return { ...source, ...(isSame ? passed : { title: '', ...(url !== undefined && { url: '' }) }) };
  }

  async #file(part: Part<'file'>): Promise<Part<'file'>> {
    const { data, mediaType } = part;
    if (data.type !== 'data' || !isTextFile(mediaType)) return part;
    const passes = outputPasses(this.#processors, 'file');
    return { ...part, data: { type: 'data', data: await processFile(passes, data.data) } };
  }

  #value(source: OutputSource, value: JSONValue): Promise<JSONValue> {
    return processValue(outputPasses(this.#processors, source), value);
  }
}

function deltas(pieces: readonly Piece[]): Part<'text-delta'>[] {
  return pieces.flatMap(({ block, text }) => (text === '' ? [] : { type: 'text-delta', id: block, delta: text }));
}
