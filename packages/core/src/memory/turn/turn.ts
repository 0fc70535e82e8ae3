import {
  type Logger,
  type Message,
  type MessagePart,
  type MessageSave,
  NotFoundError,
  type SavedMessages,
  type StoredMessage,
} from '@halyard/contracts';
import type { AgentEvent } from '../../agent/agent-event.ts';
import type { ResolvedModel } from '../../model/model-port.ts';
import { recordMemory, type RunRecording } from '../../telemetry/record-memory.ts';
import type { Memory } from '../memory.ts';
import { AnswerParts, type GivenApproval } from './answer-parts.ts';
import { withOutcomes } from './merge-answers.ts';
import type { OpenConversation } from './open-conversation.ts';
import { storageFailure } from './storage-failure.ts';
import type { SyncedInput } from './sync-input.ts';
import type { TurnSettings } from './turn-options.ts';

export interface TurnOptions {
  readonly agentId: string;
  readonly models: readonly ResolvedModel[];
  readonly logger: Logger;
  readonly recording?: RunRecording | undefined;
  /** Of the answer, where it is a new message. */
  readonly messageId: string;
  readonly settings: TurnSettings;
}

/**
 * What one run writes into its conversation: what it was asked, and its answer as it grows. One write at a time; what comes meanwhile is in the next.
 *
 * A write that fails makes the run fail, at its next step or at its end. A conversation that is deleted meanwhile stays deleted: nothing more is written.
 */
export class Turn {
  /** Of the answer. */
  readonly messageId: string;
  readonly #memory: Memory;
  readonly #conversation: OpenConversation;
  readonly #options: TurnOptions;
  readonly #answer: AnswerParts;
  readonly #metadata: unknown;
  /** What the first write brings: what was asked. */
  readonly #asked: readonly Message[];
  /** What is written with the answer alone: it replaces a message, and what stands after that. */
  #replaced: Message | undefined;
  /** Id of the stored message that a client has added to: another run may do so at the same time. */
  readonly #sharedId: string | undefined;
  #isAskedWritten: boolean;
  #isAnswerWritten: boolean;
  #isGone: boolean;
  #isNew = false;
  #dropped: readonly string[] = [];
  #hasWritten = false;
  /** What was asked, and the answer, as they were written last. */
  #written: readonly Message[] = [];
  #writing: Promise<void> | undefined;
  /** Something came during a write that shall not wait. */
  #isMoreWanted = false;
  #isOver = false;
  #failure: Error | undefined;
  #begun: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #steps = 0;

  constructor(memory: Memory, conversation: OpenConversation, input: SyncedInput, options: TurnOptions) {
    const { continued, fresh, isContinuedStored, replaced, sent } = input;
    this.#memory = memory;
    this.#conversation = conversation;
    this.#options = options;
    this.messageId = continued?.id ?? options.messageId;
    this.#metadata = continued?.metadata;
    this.#answer = new AnswerParts(continued?.parts.map((part) => ({ ...part })));
    this.#asked = fresh;
    this.#sharedId = sent.stored?.id;
    this.#replaced = replaced;
    this.#isAskedWritten = fresh.length === 0;
    this.#isAnswerWritten = continued === undefined || isContinuedStored;
    this.#isGone = options.settings.readOnly;
  }

  /** The run begins: what was asked is written beside its first model call, once that is on its way; with the answer, where that comes at once. */
  begin(): void {
    if (this.#options.settings.persistence.mode === 'finish' || this.#isGone) return;
    this.#begun = setImmediate(() => this.#write());
  }

  /** Something happened that the client is told, too. */
  note(event: AgentEvent): void {
    if (this.#isGone || this.#isOver) return;
    this.recall(event);
    const { flushOnToolResult, mode } = this.#options.settings.persistence;
    if (mode === 'finish') return;
    if (event.type === 'start-step') {
      this.#steps += 1;
      // Only where a step follows: the last one is written by the end.
      if (this.#steps > 1) this.#writeSoon();
    } else if (flushOnToolResult && (event.type === 'tool-result' || event.type === 'tool-error')) this.#write();
  }

  /** Something happened in an earlier try of this run. */
  recall(event: AgentEvent): void {
    if (event.agentId !== undefined || this.#isGone) return;
    if (this.#answer.add(event)) this.#isAnswerWritten = false;
  }

  /** A person has answered a request for approval. */
  answered(toolCallId: string, approval: GivenApproval): void {
    this.#answer.answer(toolCallId, approval);
    this.#isAnswerWritten = false;
  }

  /** The last step is sent back: it is no part of the answer. */
  dropStep(): void {
    this.#answer.dropStep();
    this.#isAnswerWritten = false;
  }

  /** @throws what a write failed with. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits until the conversation is there: tools may write to it. @throws what a write failed with. */
  async settled(): Promise<void> {
    const { isEnabled } = this.#memory.workingMemory;
    if (isEnabled && this.#conversation.isNew && !this.#hasWritten) this.#write(true);
    await this.#writing;
    this.check();
  }

  /** Writes what is not written yet. @throws what a write failed with. */
  async end(): Promise<void> {
    this.giveUp();
    if (this.#writing !== undefined) await this.#writing;
    this.check();
    const save = this.#nextSave(true);
    if (save !== undefined) {
      await this.#save(save);
      this.check();
    }
    this.#tellMemory();
  }

  /** Writes nothing more, beside what is being written. */
  giveUp(): void {
    clearImmediate(this.#begun);
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#isMoreWanted = false;
  }

  /** The run has failed, or was aborted: what was said until then is kept. */
  async endFailed(): Promise<void> {
    const known = this.#failure;
    await this.end().catch((error: unknown) => {
      // What was written before is there to be found.
      this.#tellMemory();
      if (error === known) return;
      const { agentId, logger } = this.#options;
      logger.error({ err: error, agentId }, 'what an agent said before its run failed could not be written');
    });
  }

  #writeSoon(): void {
    const { debounceMs } = this.#options.settings.persistence;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), debounceMs);
  }

  #write(evenNothing = false): void {
    if (this.#failure !== undefined) return;
    if (this.#writing !== undefined) {
      this.#isMoreWanted = true;
      return;
    }
    const save = this.#nextSave(false, evenNothing);
    if (save === undefined) return;
    this.#writing = this.#save(save).then(() => {
      this.#writing = undefined;
      if (!this.#isMoreWanted) return;
      this.#isMoreWanted = false;
      this.#write();
    });
  }

  async #save(save: MessageSave): Promise<void> {
    const id = this.#sharedId;
    try {
      if (id === undefined || save.messages.every((message) => message.id !== id))
        this.#saved(await this.#store(save), save);
      else await this.#memory.writes.run(`${save.conversationId}/${id}`, () => this.#saveShared(save, id));
    } catch (error) {
      this.#failure = storageFailure(error);
    }
  }

  #store(save: MessageSave): Promise<SavedMessages | 'not-found'> {
    const { conversations } = this.#memory.storage;
    const { owner } = this.#conversation.key;
    const { recording } = this.#options;
    return recording === undefined
      ? conversations.save(owner, save)
      : recordMemory(recording, 'write', save.conversationId, () => conversations.save(owner, save));
  }

  /** What another run has made of calls that wait in the message stays. */
  async #saveShared(save: MessageSave, id: string): Promise<void> {
    const { conversations } = this.#memory.storage;
    const [stored] = await conversations.findMessages(this.#conversation.key.owner, save.conversationId, [id]);
    const merged = stored === undefined ? save : this.#withOutcomesOf(stored, save);
    this.#saved(await this.#store(merged), merged);
  }

  #withOutcomesOf({ id, parts: theirs }: StoredMessage, save: MessageSave): MessageSave {
    const withTheirs = (parts: readonly MessagePart[]): MessagePart[] => withOutcomes(parts, theirs);
    if (id === this.messageId) this.#answer.change(withTheirs);
    const messages = save.messages.map((message) =>
      message.id === id ? { ...message, parts: withTheirs(message.parts) } : message,
    );
    return { ...save, messages };
  }

  #saved(saved: SavedMessages | 'not-found', { conversationId, create, messages }: MessageSave): void {
    if (saved === 'not-found') {
      // Somebody else has made a conversation of this id meanwhile, or this one is deleted.
      if (create !== undefined) throw new NotFoundError('conversation', conversationId);
      this.#isGone = true;
      return;
    }
    this.#hasWritten = true;
    this.#isNew ||= saved.isNew;
    if (saved.dropped.length > 0) this.#dropped = saved.dropped;
    this.#written = this.#written.length === 0 ? messages : withNewer(this.#written, messages);
  }

  /** What there is to write; taken as written. */
  #nextSave(isLast: boolean, evenNothing = false): MessageSave | undefined {
    if (this.#isGone) return undefined;
    const answer = this.#isAnswerWritten || !this.#answer.holdsSomething ? undefined : this.#message(isLast);
    const messages = this.#isAskedWritten ? [] : [...this.#asked];
    const replaced = answer === undefined ? undefined : this.#replaced;
    if (replaced !== undefined) messages.push(replaced);
    if (answer !== undefined) messages.push(answer);
    if (messages.length === 0 && !evenNothing) return undefined;

    const { isNew, isRepeated, key } = this.#conversation;
    this.#isAskedWritten = true;
    if (answer !== undefined) {
      this.#isAnswerWritten = true;
      this.#replaced = undefined;
    }
    const { conversationId, userId } = key;
    const save: MessageSave = { conversationId, messages };
    if (isNew && !this.#hasWritten) {
      const create = { id: conversationId, userId, resourceId: this.#options.agentId, title: '', metadata: {} };
      return { ...save, create };
    }
    return replaced === undefined || isRepeated ? save : { ...save, dropAfter: replaced.id };
  }

  #message(isLast: boolean): Message {
    return new AnswerMessage(this.messageId, this.#answer.snapshot(isLast), this.#metadata);
  }

  #tellMemory(): void {
    if (this.#isGone || !this.#hasWritten) return;
    const { logger, models } = this.#options;
    this.#memory.afterTurn({
      conversationId: this.#conversation.key.conversationId,
      isNew: this.#isNew,
      messages: this.#written,
      dropped: this.#dropped,
      models,
      logger,
    });
  }
}

/** A class, as messages outlive their request. */
class AnswerMessage implements Message {
  readonly id: string;
  readonly role = 'assistant' as const;
  readonly parts: MessagePart[];
  declare readonly metadata?: unknown;

  constructor(id: string, parts: MessagePart[], metadata: unknown) {
    this.id = id;
    this.parts = parts;
    if (metadata !== undefined) this.metadata = metadata;
  }
}

function withNewer(written: readonly Message[], newer: readonly Message[]): readonly Message[] {
  return [...written.filter(({ id }) => newer.every((message) => message.id !== id)), ...newer];
}
