import type { MessagePart, TextPart, ToolPart } from '@halyard/contracts';
import type { AgentEvent, ProviderMetadata } from '../../agent/agent-event.ts';

/** An answer to a request for approval, as the message keeps it. */
export interface GivenApproval {
  readonly approved: boolean;
  readonly reason: string | undefined;
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>;
type ReasoningPart = Extract<MessagePart, { type: 'reasoning' }>;
type Metadata = NonNullable<TextPart['providerMetadata']>;

/**
 * The parts of an answer, put together from the events of its run: what `useChat` makes of the same events, but that a text that was broken off counts as
 * done, and that a call whose input was never finished is left out.
 */
export class AnswerParts {
  readonly #parts: MessagePart[];
  /** Texts and reasonings that are being written. */
  #open: OpenPart[] = [];
  #speaks = false;

  /** @param parts of a message that goes on. They are changed. */
  constructor(parts: MessagePart[] = []) {
    this.#parts = parts;
    this.#speaks = parts.length > 0;
  }

  /** Whether there is anything to keep. */
  get holdsSomething(): boolean {
    return this.#speaks || this.#parts.some(says);
  }

  /** What there is so far. @param isLast nothing is added any more: nothing need be copied. */
  snapshot(isLast: boolean): MessagePart[] {
    const parts = this.#parts.filter(isWhole);
    return isLast ? parts : parts.map((part) => ({ ...part }));
  }

  /** Changes what there is. @param change gives as many parts. */
  change(change: (parts: readonly MessagePart[]) => readonly MessagePart[]): void {
    const changed = change(this.#parts);
    changed.forEach((part, index) => {
      if (part !== this.#parts[index]) this.#parts[index] = { ...part };
    });
  }

  /** Forgets the last step: its answer was sent back. */
  dropStep(): void {
    this.#parts.splice(Math.max(0, this.#startOfStep() - 1));
  }

  /** @returns whether the event is about what is said or done. */
  add(event: AgentEvent): boolean {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#addText(event);
        return true;
      case 'text-start':
        this.#openPart(event.id, new SpokenText(event.providerMetadata));
        return true;
      case 'reasoning-start':
        this.#openPart(event.id, new SpokenReasoning(event.id, event.providerMetadata));
        return true;
      case 'text-end':
      case 'reasoning-end':
        this.#end(event);
        return true;
      case 'start-step':
        this.#parts.push({ type: 'step-start' });
        return false;
      case 'tool-input-start':
        this.#startInput(event);
        return true;
      case 'tool-call':
        this.#call(event);
        return true;
      case 'tool-result':
        this.#result(event);
        return true;
      case 'tool-error':
        this.#error(event);
        return true;
      case 'source':
        this.#parts.push(sourcePart(event));
        return true;
      case 'file':
        this.#parts.push({ type: 'file', mediaType: event.mediaType, url: event.url, ...carried(event) });
        return true;
      default:
        return false;
    }
  }

  /** A person has answered a request for approval that the message holds. */
  answer(toolCallId: string, { approved, reason }: GivenApproval): void {
    const part = this.#findCall(toolCallId);
    if (part?.approval === undefined) return;
    part.state = 'approval-responded';
    part.approval = { ...part.approval, approved, ...(reason !== undefined && { reason }) };
  }

  #openPart(id: string, part: TextPart | ReasoningPart): void {
    this.#open.push({ id, part });
    this.#parts.push(part);
  }

  #addText({ delta, id, providerMetadata, type }: EventOf<'text-delta' | 'reasoning-delta'>): void {
    const part = this.#openOne(type === 'text-delta' ? 'text' : 'reasoning', id)?.part;
    if (part === undefined) return;
    part.text += delta;
    if (providerMetadata !== undefined) part.providerMetadata = providerMetadata as Metadata;
  }

  #end({ id, providerMetadata, type }: EventOf<'text-end' | 'reasoning-end'>): void {
    const open = this.#openOne(type === 'text-end' ? 'text' : 'reasoning', id);
    if (open === undefined) return;
    if (providerMetadata !== undefined) open.part.providerMetadata = providerMetadata as Metadata;
    this.#open = this.#open.filter((other) => other !== open);
  }

  #openOne(type: 'text' | 'reasoning', id: string): OpenPart | undefined {
    return this.#open.findLast((open) => open.id === id && open.part.type === type);
  }

  #startInput({ id, providerMetadata, toolName }: EventOf<'tool-input-start'>): void {
    const part = this.#callInStep(id) ?? this.#newCall(id, toolName);
    part.state = 'input-streaming';
    part.input = undefined;
    if (providerMetadata !== undefined) part.callProviderMetadata = providerMetadata as Metadata;
  }

  #call(event: EventOf<'tool-call'>): void {
    // The error that follows carries the arguments.
    if (event.invalidInput === true) return;
    const { approvalId, input, providerExecuted, providerMetadata, signature, toolCallId, toolName } = event;
    const part = this.#callInStep(toolCallId) ?? this.#newCall(toolCallId, toolName);
    part.state = 'input-available';
    part.input = input;
    if (providerExecuted !== undefined) part.providerExecuted = providerExecuted;
    if (providerMetadata !== undefined) part.callProviderMetadata = providerMetadata as Metadata;
    if (approvalId === undefined) return;
    part.state = 'approval-requested';
    part.approval = { id: approvalId, ...(signature !== undefined && { signature }) };
  }

  #result(event: EventOf<'tool-result'>): void {
    const part = this.#knownCall(event);
    part.state = 'output-available';
    part.output = event.output ?? null;
  }

  #error(event: EventOf<'tool-error'>): void {
    if (event.denied === true) {
      const part = this.#findCall(event.toolCallId);
      if (part !== undefined) part.state = 'output-denied';
      return;
    }
    const part = this.#knownCall(event);
    part.state = 'output-error';
    part.errorText = event.error;
    if (event.invalidInput === true) part.input = event.input;
  }

  /** The call that an outcome belongs to, with what comes with the outcome. */
  #knownCall(event: EventOf<'tool-result'> | EventOf<'tool-error'>): CallPart {
    const { input, providerExecuted, providerMetadata, toolCallId, toolName } = event;
    let part = this.#findCall(toolCallId);
    if (part === undefined) {
      part = this.#newCall(toolCallId, toolName);
      part.input = input;
    }
    if (providerExecuted !== undefined) part.providerExecuted = providerExecuted;
    if (providerMetadata !== undefined) part.resultProviderMetadata = providerMetadata as Metadata;
    return part;
  }

  #newCall(toolCallId: string, toolName: string): CallPart {
    const part: CallPart = { type: `tool-${toolName}`, toolCallId, state: 'input-streaming', input: undefined };
    this.#parts.push(part as ToolPart);
    return part;
  }

  #findCall(toolCallId: string): CallPart | undefined {
    const part = this.#callInStep(toolCallId) ?? this.#parts.findLast((known) => isCall(known, toolCallId));
    return part as CallPart | undefined;
  }

  #callInStep(toolCallId: string): CallPart | undefined {
    const start = this.#startOfStep();
    return this.#parts.find((part, index) => index >= start && isCall(part, toolCallId)) as CallPart | undefined;
  }

  /** Position behind the last `step-start`. */
  #startOfStep(): number {
    return 1 + this.#parts.findLastIndex(({ type }) => type === 'step-start');
  }
}

interface OpenPart {
  readonly id: string;
  readonly part: TextPart | ReasoningPart;
}

/** A call while it is put together. */
interface CallPart {
  type: `tool-${string}`;
  toolCallId: string;
  state: ToolPart['state'];
  input: unknown;
  output?: unknown;
  errorText?: string;
  providerExecuted?: boolean;
  approval?: { id: string; signature?: string; approved?: boolean; reason?: string };
  callProviderMetadata?: Metadata;
  resultProviderMetadata?: Metadata;
}

/** Of classes: what outlives its request is collected sooner then, see the notes on PreparedRun. */
class SpokenText implements TextPart {
  readonly type = 'text' as const;
  text: string = '';
  readonly state = 'done' as const;
  declare providerMetadata?: Metadata;

  constructor(metadata: ProviderMetadata | undefined) {
    if (metadata !== undefined) this.providerMetadata = metadata as Metadata;
  }
}

class SpokenReasoning implements ReasoningPart {
  readonly type = 'reasoning' as const;
  readonly id: string;
  text: string = '';
  readonly state = 'done' as const;
  declare providerMetadata?: Metadata;

  constructor(id: string, metadata: ProviderMetadata | undefined) {
    this.id = id;
    if (metadata !== undefined) this.providerMetadata = metadata as Metadata;
  }
}

function isCall(part: MessagePart, toolCallId: string): boolean {
  return 'toolCallId' in part && part.toolCallId === toolCallId;
}

function isWhole(part: MessagePart): boolean {
  return !('toolCallId' in part) || part.state !== 'input-streaming';
}

function says(part: MessagePart): boolean {
  if (part.type === 'step-start') return false;
  return part.type === 'text' || part.type === 'reasoning' ? part.text !== '' : isWhole(part);
}

function sourcePart(event: EventOf<'source'>): MessagePart {
  if (event.sourceType === 'url') {
    const { id, title, url } = event;
    return { type: 'source-url', sourceId: id, url, ...(title !== undefined && { title }), ...carried(event) };
  }
  const { filename, id, mediaType, title } = event;
  return {
    type: 'source-document',
    sourceId: id,
    mediaType,
    title,
    ...(filename !== undefined && { filename }),
    ...carried(event),
  };
}

function carried({
  providerMetadata,
}: {
  readonly providerMetadata?: ProviderMetadata;
}): { providerMetadata: Metadata } | undefined {
  return providerMetadata && { providerMetadata: providerMetadata as Metadata };
}
