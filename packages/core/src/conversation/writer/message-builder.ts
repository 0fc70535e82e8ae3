import type { DataPart, MessagePart, TextPart, ToolPart } from '@halyard/contracts';
import type { AgentEvent, ProviderMetadata } from '../../agent/agent-event.ts';
import { uiApprovalId } from '../../agent/approvals/approvals.ts';
import { changedInput } from '../../agent/approvals/changed-input.ts';
import { isContentOfMessage } from '../../model/messages/content.ts';
import { asCut } from '../../model/prompt/cut-step.ts';
import { originForModel } from '../../model/prompt/reply-origin.ts';
import type { ResolvedModel } from '../../model/providers/model-port.ts';

/** A reply to an approval request, as the message stores it. */
export interface ApprovalResponse {
  readonly approved: boolean;
  readonly reason: string | undefined;
  readonly input?: unknown;
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>;
type ReasoningPart = Extract<MessagePart, { type: 'reasoning' }>;
type Metadata = NonNullable<TextPart['providerMetadata']>;

/**
 * The parts of a reply, built from the events of its run. They are what `useChat` builds from the
 * same events, except that an interrupted text is stored as done, a call whose input was not
 * finished is left out, and a step that was cut has no metadata of the provider.
 */
export class MessageBuilder {
  /** How many parts the message had that is continued. */
  readonly givenCount: number;
  readonly #parts: MessagePart[];
  /** Texts and reasoning that are still streaming. */
  #open: OpenPart[] = [];
  /**
   * Whether the model may still be writing the last step. If the reply ends now, the step was cut.
   */
  #isStepOpen = false;
  #hasContent = false;

  /** @param parts of a message that is continued. They are changed. */
  constructor(parts: MessagePart[] = []) {
    this.givenCount = parts.length;
    this.#parts = parts;
    this.#hasContent = parts.length > 0;
  }

  /** Whether there is content to store. */
  get isWorthStoring(): boolean {
    return this.#hasContent || this.#parts.some(isContentOfMessage);
  }

  /** The parts so far. @param isLast no event follows, so the parts are not copied. */
  snapshot(isLast: boolean): MessagePart[] {
    const cutFrom = this.#isStepOpen ? this.#startOfStep() : this.#parts.length;
    const parts = this.#parts.flatMap((part, index) => {
      if (!isWhole(part)) return [];
      return index < cutFrom ? [part] : asCut(part);
    });
    return isLast ? parts : parts.map((part) => ({ ...part }));
  }

  /** Replaces parts. @param change returns as many parts as it gets. */
  change(change: (parts: readonly MessagePart[]) => readonly MessagePart[]): void {
    const changed = change(this.#parts);
    changed.forEach((part, index) => {
      if (part !== this.#parts[index]) this.#parts[index] = { ...part };
    });
  }

  /** Removes the last step, whose reply was rejected. */
  dropStep(): void {
    this.#parts.splice(Math.max(0, this.#startOfStep() - 1));
  }

  /** @returns whether the event changed the content. */
  add(event: AgentEvent): boolean {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#addText(event);
        return true;
      case 'text-start':
        this.#openPart(event.id, newText(event.providerMetadata));
        return true;
      case 'reasoning-start':
        this.#openPart(event.id, newReasoning(event.id, event.providerMetadata));
        return true;
      case 'text-end':
      case 'reasoning-end':
        this.#end(event);
        return true;
      case 'start-step':
        this.#parts.push({ type: 'step-start' });
        this.#isStepOpen = true;
        return false;
      case 'finish-step': {
        const isChange = this.#isStepOpen;
        this.#isStepOpen = false;
        return isChange;
      }
      case 'tool-input-start':
        this.#startInput(event);
        return true;
      case 'tool-call':
        this.#call(event);
        return true;
      case 'tool-result':
        // Only the last result is stored.
        if (event.preliminary === true && event.waiting !== true) return false;
        // The agent's own tools run when the model has ended the step.
        if (event.providerExecuted !== true) this.#isStepOpen = false;
        this.#result(event);
        return true;
      case 'tool-error':
        this.#error(event);
        return true;
      case 'source':
        this.#parts.push(sourcePart(event));
        return true;
      case 'file':
      case 'reasoning-file':
        this.#parts.push({ type: event.type, mediaType: event.mediaType, url: event.url, ...toMetadata(event) });
        return true;
      case 'data':
        if (event.transient === true) return false;
        this.#data(event.part);
        return true;
      case 'custom':
        this.#parts.push({ type: 'custom', kind: event.kind, ...toMetadata(event) });
        return true;
      default:
        return false;
    }
  }

  /**
   * Marks what only this model reads in the last step, which it has written.
   *
   * @returns whether there is any.
   */
  markOrigin(model: Pick<ResolvedModel, 'modelId' | 'provider'>): boolean {
    const start = this.#parts.findLastIndex(({ type }) => type === 'step-start');
    const origin = originForModel(model);
    let isMarked = false;
    for (const part of this.#parts.slice(start + 1)) {
      const isReasoning = part.type === 'reasoning' || part.type === 'reasoning-file';
      const isProviderCall = 'toolCallId' in part && part.providerExecuted === true;
      if (isProviderCall) part.callProviderMetadata = { ...part.callProviderMetadata, ...origin };
      else if (isReasoning && part.providerMetadata !== undefined)
        part.providerMetadata = { ...part.providerMetadata, ...origin };
      else continue;
      isMarked = true;
    }
    return isMarked;
  }

  /** Stores the response to an approval request of this message. */
  answer(toolCallId: string, { approved, input, reason }: ApprovalResponse): void {
    const part = this.#findCall(toolCallId);
    if (part?.approval === undefined) return;
    const changed = changedInput(part, { approved, input });
    part.state = 'approval-responded';
    part.approval = {
      ...part.approval,
      approved,
      ...(reason !== undefined && { reason }),
      ...(changed !== undefined && { input: changed }),
    };
  }

  #data(part: DataPart): void {
    const { id, type } = part;
    const place = this.#parts.findIndex((known) => id !== undefined && known.type === type && toId(known) === id);
    if (place === -1) this.#parts.push(part);
    else this.#parts[place] = part;
  }

  #openPart(id: string, part: TextPart | ReasoningPart): void {
    this.#open.push({ id, part });
    this.#parts.push(part);
  }

  #addText({ delta, id, providerMetadata, type }: EventOf<'text-delta' | 'reasoning-delta'>): void {
    const part = this.#findOpen(type === 'text-delta' ? 'text' : 'reasoning', id)?.part;
    if (part === undefined) return;
    part.text += delta;
    if (providerMetadata !== undefined) part.providerMetadata = providerMetadata as Metadata;
  }

  #end(event: EventOf<'text-end' | 'reasoning-end'>): void {
    const { id, providerMetadata, type } = event;
    const open = this.#findOpen(type === 'text-end' ? 'text' : 'reasoning', id);
    if (open === undefined) return;
    if (open.part.type === 'text' && 'citations' in event) open.part.citations = event.citations;
    if (providerMetadata !== undefined) open.part.providerMetadata = providerMetadata as Metadata;
    this.#open = this.#open.filter((other) => other !== open);
  }

  #findOpen(type: 'text' | 'reasoning', id: string): OpenPart | undefined {
    return this.#open.findLast((open) => open.id === id && open.part.type === type);
  }

  #startInput(event: EventOf<'tool-input-start'>): void {
    const { id, providerExecuted, providerMetadata, title, toolName } = event;
    const part = this.#callInStep(id) ?? this.#newCall(id, toolName, event);
    part.state = 'input-streaming';
    part.input = undefined;
    if (title !== undefined) part.title = title;
    if (providerExecuted !== undefined) part.providerExecuted = providerExecuted;
    if (providerMetadata !== undefined) part.callProviderMetadata = providerMetadata as Metadata;
  }

  #call(event: EventOf<'tool-call'>): void {
    // The error that follows contains the arguments.
    if (event.invalidInput === true) return;
    const { approvalId, input, providerExecuted, providerMetadata, signature, title, toolCallId, toolName } = event;
    const part = this.#callInStep(toolCallId) ?? this.#newCall(toolCallId, toolName, event);
    part.state = 'input-available';
    part.input = input;
    if (title !== undefined) part.title = title;
    if (providerExecuted !== undefined) part.providerExecuted = providerExecuted;
    if (providerMetadata !== undefined) part.callProviderMetadata = providerMetadata as Metadata;
    if (approvalId === undefined) return;
    part.state = 'approval-requested';
    part.approval = { id: uiApprovalId({ approvalId, signature }) };
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
    delete part.output;
    if (event.invalidInput === true) part.input = event.input;
  }

  /** The call of an outcome, with the metadata of the outcome. */
  #knownCall(event: EventOf<'tool-result'> | EventOf<'tool-error'>): CallPart {
    const { input, providerExecuted, providerMetadata, toolCallId, toolName } = event;
    let part = this.#findCall(toolCallId);
    if (part === undefined) {
      part = this.#newCall(toolCallId, toolName, event);
      part.input = input;
    }
    if (providerExecuted !== undefined) part.providerExecuted = providerExecuted;
    if (providerMetadata !== undefined) part.resultProviderMetadata = providerMetadata as Metadata;
    return part;
  }

  #newCall(toolCallId: string, toolName: string, { dynamic }: { readonly dynamic?: boolean }): CallPart {
    const named =
      dynamic === true ? ({ type: 'dynamic-tool', toolName } as const) : ({ type: `tool-${toolName}` } as const);
    const part: CallPart = { ...named, toolCallId, state: 'input-streaming', input: undefined };
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

  /** Index after the last `step-start`. */
  #startOfStep(): number {
    return 1 + this.#parts.findLastIndex(({ type }) => type === 'step-start');
  }
}

interface OpenPart {
  readonly id: string;
  readonly part: TextPart | ReasoningPart;
}

/** A call while it is being built. */
interface CallPart {
  type: `tool-${string}` | 'dynamic-tool';
  toolName?: string;
  toolCallId: string;
  title?: string;
  state: ToolPart['state'];
  input: unknown;
  output?: unknown;
  errorText?: string;
  providerExecuted?: boolean;
  approval?: { id: string; approved?: boolean; reason?: string; input?: unknown };
  callProviderMetadata?: Metadata;
  resultProviderMetadata?: Metadata;
}

function newText(metadata: ProviderMetadata | undefined): TextPart {
  return { type: 'text', text: '', state: 'done', ...toMetadata({ providerMetadata: metadata }) };
}

function newReasoning(id: string, metadata: ProviderMetadata | undefined): ReasoningPart {
  return { type: 'reasoning', id, text: '', state: 'done', ...toMetadata({ providerMetadata: metadata }) };
}

function toId(part: MessagePart): unknown {
  return 'id' in part ? part.id : undefined;
}

function isCall(part: MessagePart, toolCallId: string): boolean {
  return 'toolCallId' in part && part.toolCallId === toolCallId;
}

function isWhole(part: MessagePart): boolean {
  return !('toolCallId' in part) || part.state !== 'input-streaming';
}

function sourcePart(event: EventOf<'source'>): MessagePart {
  if (event.sourceType === 'url') {
    const { id, title, url } = event;
    return { type: 'source-url', sourceId: id, url, ...(title !== undefined && { title }), ...toMetadata(event) };
  }
  const { filename, id, mediaType, title } = event;
  return {
    type: 'source-document',
    sourceId: id,
    mediaType,
    title,
    ...(filename !== undefined && { filename }),
    ...toMetadata(event),
  };
}

function toMetadata({
  providerMetadata,
}: {
  readonly providerMetadata?: ProviderMetadata | undefined;
}): { providerMetadata: Metadata } | undefined {
  return providerMetadata && { providerMetadata: providerMetadata as Metadata };
}

/** Whether a call has ended. */
export function isOutcome(event: AgentEvent): boolean {
  if (event.type !== 'tool-result') return event.type === 'tool-error';
  return event.preliminary !== true || event.waiting === true;
}
