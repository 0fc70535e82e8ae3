import type { UIMessageChunk } from '../../model/messages/message.ts';

type TextKind = 'text' | 'reasoning';
type TextChunk = Extract<UIMessageChunk, { type: `${TextKind}-${'start' | 'delta' | 'end'}` }>;
type ToolChunk = Extract<UIMessageChunk, { toolCallId: string }>;

interface DeliveredText {
  readonly id: string;
  text: string;
  isOpen: boolean;
}

/** The part of one step that a reader has received. */
interface DeliveredStep {
  readonly texts: Record<TextKind, DeliveredText[]>;
  /** JSON of other parts, such as sources and files. */
  readonly others: string[];
  readonly toolCallIds: Set<string>;
  isFinished: boolean;
}

/**
 * A text of the new chunks: compared with the delivered one, or sent under the id that the reader
 * knows.
 */
type CurrentText =
  | { readonly kind: 'compared'; readonly delivered: DeliveredText; text: string; readonly start: TextChunk }
  | { readonly kind: 'sent'; readonly id: string };

/** How far a tool call has come. A chunk that is not further than the reader is left out. */
const toolRanks: Partial<Record<UIMessageChunk['type'], number>> = {
  'tool-input-start': 0,
  'tool-input-delta': 0,
  'tool-input-available': 1,
  'tool-output-available': 3,
  'tool-input-error': 3,
  'tool-output-error': 3,
  'tool-output-denied': 3,
};
const preliminaryRank = 2;

/**
 * Takes a reply over for a reader that has received a part of it, from chunks that begin with the
 * first one again.
 *
 * A model call that was cut is made again, and may answer differently. The chunks have no way to
 * take a text back: the text that the reader has is then ended, and the new one follows as another
 * part. A tool call that was not made again becomes an error.
 */
export class ReplyTakeover {
  readonly #delivered: DeliveredStep[] = [];
  readonly #toolRanks = new Map<string, number>();
  /** JSON of the delivered approval requests and responses. */
  readonly #approvals = new Set<string>();
  #hasStart = false;
  #step = -1;
  readonly #counts = { text: 0, reasoning: 0 };
  readonly #current = new Map<string, CurrentText>();
  #newTexts = 0;

  /** @param delivered all chunks that the reader has, in order. */
  constructor(delivered: readonly UIMessageChunk[]) {
    for (const chunk of delivered) this.#addDelivered(chunk);
  }

  /** The chunks to send instead of the next chunk. */
  take(chunk: UIMessageChunk): readonly UIMessageChunk[] {
    switch (chunk.type) {
      case 'start':
        return this.#hasStart ? [] : [chunk];
      case 'start-step':
        return this.#startStep(chunk);
      case 'finish-step':
        return this.#finishStep(chunk);
      case 'text-start':
      case 'reasoning-start':
        return this.#startText(chunk);
      case 'text-delta':
      case 'reasoning-delta':
        return this.#addText(chunk);
      case 'text-end':
      case 'reasoning-end':
        return this.#endText(chunk);
      default:
        if ('toolCallId' in chunk) return this.#takeTool(chunk);
        return isPart(chunk) && this.#wasDelivered(chunk) ? [] : [chunk];
    }
  }

  get #deliveredStep(): DeliveredStep | undefined {
    return this.#delivered[Math.max(this.#step, 0)];
  }

  #addDelivered(chunk: UIMessageChunk): void {
    if (chunk.type === 'start') this.#hasStart = true;
    else if (chunk.type === 'start-step') this.#delivered.push(newStep());
    else if (chunk.type === 'finish-step') {
      const step = this.#delivered.at(-1);
      if (step !== undefined) step.isFinished = true;
    } else if (isText(chunk)) this.#addDeliveredText(chunk);
    else if ('toolCallId' in chunk) {
      const rank = toRank(chunk);
      if (rank === undefined) this.#approvals.add(JSON.stringify(chunk));
      else this.#toolRanks.set(chunk.toolCallId, Math.max(rank, this.#toolRanks.get(chunk.toolCallId) ?? 0));
      if (rank !== undefined && rank < 2) this.#lastDelivered().toolCallIds.add(chunk.toolCallId);
    } else if (isPart(chunk)) this.#lastDelivered().others.push(JSON.stringify(chunk));
  }

  #addDeliveredText(chunk: TextChunk): void {
    const texts = this.#lastDelivered().texts[toKind(chunk)];
    if (isStart(chunk)) texts.push({ id: chunk.id, text: '', isOpen: true });
    const text = texts.findLast(({ id }) => id === chunk.id);
    if (text === undefined) return;
    if ('delta' in chunk) text.text += chunk.delta;
    else if (!isStart(chunk)) text.isOpen = false;
  }

  #lastDelivered(): DeliveredStep {
    const last = this.#delivered.at(-1);
    if (last !== undefined) return last;
    const first = newStep();
    this.#delivered.push(first);
    return first;
  }

  #startStep(chunk: UIMessageChunk): readonly UIMessageChunk[] {
    this.#step += 1;
    this.#counts.text = 0;
    this.#counts.reasoning = 0;
    this.#current.clear();
    return this.#delivered[this.#step] === undefined ? [chunk] : [];
  }

  #finishStep(chunk: UIMessageChunk): readonly UIMessageChunk[] {
    const step = this.#deliveredStep;
    if (step === undefined) return [chunk];
    if (step.isFinished) return [];
    const unended = (['text', 'reasoning'] as const).flatMap((kind) =>
      step.texts[kind].flatMap((text) => this.#close(kind, text)),
    );
    const dropped = [...step.toolCallIds].filter((id) => (this.#toolRanks.get(id) ?? 0) < 2);
    const errorText = 'The server stopped before the call, and the model was asked again';
    return [
      ...unended,
      ...dropped.map((toolCallId): UIMessageChunk => ({ type: 'tool-output-error', toolCallId, errorText })),
      chunk,
    ];
  }

  #startText(chunk: TextChunk): readonly UIMessageChunk[] {
    const kind = toKind(chunk);
    const delivered = this.#deliveredStep?.texts[kind][this.#counts[kind]];
    this.#counts[kind] += 1;
    if (delivered !== undefined) {
      this.#current.set(`${kind} ${chunk.id}`, { kind: 'compared', delivered, text: '', start: chunk });
      return [];
    }
    return this.#send(chunk);
  }

  #addText(chunk: Extract<TextChunk, { delta: string }>): readonly UIMessageChunk[] {
    const kind = toKind(chunk);
    const current = this.#current.get(`${kind} ${chunk.id}`);
    if (current === undefined) return [chunk];
    if (current.kind === 'sent') return [{ ...chunk, id: current.id }];
    const { delivered } = current;
    current.text += chunk.delta;
    if (delivered.text.startsWith(current.text)) return [];
    if (!delivered.isOpen || !current.text.startsWith(delivered.text)) return this.#diverge(chunk, current);
    this.#current.set(`${kind} ${chunk.id}`, { kind: 'sent', id: delivered.id });
    return [{ ...chunk, id: delivered.id, delta: current.text.slice(delivered.text.length) }];
  }

  #endText(chunk: TextChunk): readonly UIMessageChunk[] {
    const kind = toKind(chunk);
    const current = this.#current.get(`${kind} ${chunk.id}`);
    this.#current.delete(`${kind} ${chunk.id}`);
    if (current === undefined) return [chunk];
    if (current.kind === 'sent') {
      const delivered = this.#deliveredStep?.texts[kind].find(({ id }) => id === current.id);
      if (delivered !== undefined) delivered.isOpen = false;
      return [{ ...chunk, id: current.id }];
    }
    const { delivered, text } = current;
    if (text !== delivered.text) {
      const sent = this.#diverge(chunk, current);
      const id = sent.find(isStartOfAny)?.id ?? chunk.id;
      return [...sent, { ...chunk, id }];
    }
    if (!delivered.isOpen) return [];
    delivered.isOpen = false;
    return [{ ...chunk, id: delivered.id }];
  }

  /** Ends the delivered text, and sends the new one from its first character. */
  #diverge(
    chunk: TextChunk,
    { delivered, start, text }: Extract<CurrentText, { kind: 'compared' }>,
  ): readonly UIMessageChunk[] {
    const kind = toKind(chunk);
    const closed = this.#close(kind, delivered);
    const started = this.#send(start);
    const id = started.find(isStartOfAny)?.id ?? start.id;
    return [...closed, ...started, ...(text === '' ? [] : [{ type: `${kind}-delta` as const, id, delta: text }])];
  }

  #close(kind: TextKind, delivered: DeliveredText): readonly UIMessageChunk[] {
    const isSent = [...this.#current.values()].some((one) => one.kind === 'sent' && one.id === delivered.id);
    if (!delivered.isOpen || isSent) return [];
    delivered.isOpen = false;
    return [{ type: `${kind}-end`, id: delivered.id }];
  }

  /** Starts a text under an id that the reader does not have. */
  #send(start: TextChunk): readonly UIMessageChunk[] {
    const kind = toKind(start);
    const isUsed = this.#deliveredStep?.texts[kind].some(({ id }) => id === start.id) === true;
    const id = isUsed ? `${start.id}-again-${(this.#newTexts += 1)}` : start.id;
    this.#current.set(`${kind} ${start.id}`, { kind: 'sent', id });
    return [{ ...start, id }];
  }

  #takeTool(chunk: ToolChunk): readonly UIMessageChunk[] {
    const rank = toRank(chunk);
    if (rank === undefined) return this.#approvals.has(JSON.stringify(chunk)) ? [] : [chunk];
    this.#deliveredStep?.toolCallIds.delete(chunk.toolCallId);
    const deliveredRank = this.#toolRanks.get(chunk.toolCallId) ?? -1;
    // An input that was streamed in part is streamed again; preliminary results replace each other.
    const isRepeatable = rank === 0 || rank === preliminaryRank;
    return rank < deliveredRank || (rank === deliveredRank && !isRepeatable) ? [] : [chunk];
  }

  #wasDelivered(chunk: UIMessageChunk): boolean {
    const others = this.#deliveredStep?.others ?? [];
    const at = others.indexOf(JSON.stringify(chunk));
    if (at >= 0) others.splice(at, 1);
    return at >= 0;
  }
}

function newStep(): DeliveredStep {
  return { texts: { text: [], reasoning: [] }, others: [], toolCallIds: new Set(), isFinished: false };
}

function isText(chunk: UIMessageChunk): chunk is TextChunk {
  return /^(?:text|reasoning)-(?:start|delta|end)$/.test(chunk.type);
}

function isStart({ type }: TextChunk): boolean {
  return type === 'text-start' || type === 'reasoning-start';
}

function isStartOfAny(chunk: UIMessageChunk): chunk is TextChunk {
  return isText(chunk) && isStart(chunk);
}

function toKind({ type }: TextChunk): TextKind {
  return type.startsWith('text') ? 'text' : 'reasoning';
}

function toRank(chunk: ToolChunk): number | undefined {
  return 'preliminary' in chunk && chunk.preliminary === true ? preliminaryRank : toolRanks[chunk.type];
}

/**
 * A part that a repeated chunk would add twice. Data with an id replaces itself, and transient data
 * is not part of the message.
 */
function isPart(chunk: UIMessageChunk): boolean {
  if (chunk.type.startsWith('data-')) return !('id' in chunk && chunk.id !== undefined) && !isTransient(chunk);
  return ['source-url', 'source-document', 'file', 'reasoning-file', 'custom'].includes(chunk.type);
}

function isTransient(chunk: UIMessageChunk): boolean {
  return 'transient' in chunk && chunk.transient === true;
}
