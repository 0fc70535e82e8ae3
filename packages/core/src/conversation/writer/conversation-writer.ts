import {
  type Ids,
  type Logger,
  type Message,
  type MessagePart,
  type MessageSave,
  NotFoundError,
  type SavedMessages,
  type StoredMessage,
} from '@halyard/contracts';
import type { AgentEvent } from '../../agent/agent-event.ts';
import { type AgentJournal, storageCall } from '../../agent/loop/journal.ts';
import { checkOwnSize, checkSize } from '../../json/json-bytes.ts';
import { mergeJson } from '../../json/merge-json.ts';
import type { Memory } from '../../memory/memory.ts';
import type { ConversationSettings } from '../../memory/run-memory-settings.ts';
import type { FileRefusal } from '../../model/files/refused-files.ts';
import { incompletePart, isIncomplete, stoppedPart, withoutIncompletePart } from '../../model/prompt/cut-step.ts';
import type { ResolvedModel } from '../../model/providers/model-port.ts';
import { recordMemory, type RunRecording } from '../../telemetry/record-memory.ts';
import { withNewer, withOutcomes } from '../client-responses.ts';
import type { OpenConversation } from '../open-conversation.ts';
import { storageFailure } from '../read-messages.ts';
import type { NewInput } from '../sync-input.ts';
import { ofExecution } from './dead-calls.ts';
import { GrowingMessage } from './growing-message.ts';
import { type NewMessages, markRefusedFiles } from './mark-refused-files.ts';
import { MessageBuilder, type ApprovalResponse, isOutcome } from './message-builder.ts';

/** Whether to write a reply without content, and whether the run has ended by itself. */
type NextSave = { readonly evenEmpty?: boolean; readonly isComplete?: boolean };

export interface ConversationWriterOptions {
  readonly agentId: string;
  readonly models: readonly ResolvedModel[];
  readonly logger: Logger;
  readonly recording?: RunRecording | undefined;
  /** Id of the reply, unless the run continues a message. */
  readonly messageId: string;
  readonly settings: ConversationSettings;
  readonly ids: Ids;
  readonly journal: AgentJournal | undefined;
}

/**
 * Writes the input and the reply of one run into its conversation, the reply after each step. One
 * write runs at a time; changes during a write are part of the next one. Only the last write
 * repeats the stored parts of a long reply.
 *
 * Until the run has ended by itself, the stored reply is marked as incomplete: the same question
 * then runs again.
 *
 * A failed write fails the run, at its next step or at its end. Where the run has a journal, the
 * write is repeated first. When the conversation is deleted during the run, nothing more is
 * written.
 */
export class ConversationWriter {
  /** Id of the reply. */
  readonly messageId: string;
  readonly #memory: Memory;
  readonly #conversation: OpenConversation;
  readonly #options: ConversationWriterOptions;
  readonly #reply: MessageBuilder;
  readonly #growing: GrowingMessage;
  #metadata: unknown;
  /** The new messages of the input: part of the first write. */
  readonly #input: readonly Message[];
  /**
   * A stored user message that was sent again. It is written together with the reply, which
   * replaces all messages after it.
   */
  #replaced: Message | undefined;
  /** A summary after the replaced message. It is about messages before it, so it stays. */
  #summary: Message | undefined;
  /**
   * Id of a stored message to which the client has added responses: another run may change it at
   * the same time.
   */
  readonly #sharedId: string | undefined;
  #isInputWritten: boolean;
  #isReplyWritten: boolean;
  /** Whether a message with the id of the reply is stored. */
  #isReplyStored: boolean;
  /** Whether the reply was last written as incomplete. */
  #isMarked: boolean;
  #isStopped = false;
  /** Whether nothing is written: the run may only read, or the conversation was deleted. */
  #isDisabled: boolean;
  #isNew = false;
  #dropped: readonly string[] = [];
  #hasWritten = false;
  /** The input and the reply as they were last written. */
  #written: readonly Message[] = [];
  #writing: Promise<void> | undefined;
  /** Whether another write follows the current one. */
  #isWriteDue = false;
  #hasEnded = false;
  #failure: Error | undefined;
  readonly #asked: NewMessages;
  #refusal: FileRefusal | undefined;
  #firstWrite: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #steps = 0;

  constructor(memory: Memory, conversation: OpenConversation, input: NewInput, options: ConversationWriterOptions) {
    const { extended, fresh, isExtendedStored, replaced, replacedSummary, sent, unanswered, window } = input;
    this.#memory = memory;
    this.#conversation = conversation;
    this.#options = options;
    this.messageId = extended?.id ?? options.messageId;
    this.#metadata = extended?.metadata;
    this.#reply = new MessageBuilder(extended && withoutIncompletePart(extended.parts).map((part) => ({ ...part })));
    this.#growing = new GrowingMessage({
      conversations: memory.storage.conversations,
      owner: conversation.key.owner,
      conversationId: conversation.key.conversationId,
      ids: options.ids,
    });
    this.#input = fresh;
    this.#sharedId = sent.stored?.id;
    this.#replaced = replaced;
    this.#summary = replacedSummary;
    this.#isInputWritten = fresh.length === 0;
    this.#isReplyWritten = extended === undefined || isExtendedStored;
    this.#isReplyStored = isExtendedStored;
    this.#isMarked = extended !== undefined && isIncomplete(extended.parts);
    this.#isDisabled = options.settings.readOnly;
    this.#asked = { fresh, unanswered, window, key: conversation.key, messageId: this.messageId };
  }

  /**
   * Writes the input during the first model call; a reply that arrives immediately is written with
   * it.
   */
  begin(): void {
    if (this.#options.settings.persistence.mode === 'finish' || this.#isDisabled) return;
    this.#firstWrite = setImmediate(() => this.#write());
  }

  /** Adds an event of the run, and writes where the settings require it. */
  add(event: AgentEvent): void {
    if (this.#isDisabled || this.#hasEnded) return;
    this.addReplayed(event);
    const { flushOnToolResult, mode } = this.#options.settings.persistence;
    if (mode === 'finish') return;
    if (event.type === 'start-step') {
      this.#steps += 1;
      // Only when a step follows: `end` writes the last one.
      if (this.#steps > 1) this.#writeSoon();
    } else if (flushOnToolResult && isOutcome(event)) this.#write();
  }

  /** Adds an event of an earlier attempt of the run. */
  addReplayed(event: AgentEvent): void {
    // The data that a sub-agent's tools write are part of the reply.
    const isOfReply = event.agentId === undefined || event.type === 'data';
    if (!isOfReply || this.#isDisabled) return;
    if (event.type === 'start') this.addMetadata(event.messageMetadata);
    if (this.#reply.add(event)) this.#isReplyWritten = false;
  }

  /** Of the reply. */
  get metadata(): unknown {
    return this.#metadata;
  }

  /** Adds to the metadata of the reply; undefined adds nothing. */
  addMetadata(metadata: unknown): void {
    if (metadata === undefined) return;
    this.#metadata = mergeJson(this.#metadata, metadata);
    this.#isReplyWritten = false;
  }

  /** Adds the response to an approval request. */
  setApprovalResponse(toolCallId: string, approval: ApprovalResponse): void {
    this.#reply.answer(toolCallId, approval);
    this.#isReplyWritten = false;
  }

  /** Notes that the run has stored a summary of messages before its input. */
  keepSummary(summary: Message): void {
    this.#summary = summary;
  }

  /** Notes which model has written the last step. */
  markOrigin(model: Pick<ResolvedModel, 'modelId' | 'provider'>): void {
    if (this.#reply.markOrigin(model)) this.#isReplyWritten = false;
  }

  /**
   * Notes that the run fails because models have refused its files. When it ends, they are marked:
   * these models do not receive them again.
   */
  refuseFiles(refusal: FileRefusal): void {
    this.#refusal = refusal;
  }

  /** Removes the last step, whose reply was rejected. */
  dropStep(): void {
    this.#reply.dropStep();
    this.#isReplyWritten = false;
  }

  /** @throws the error of a failed write. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Waits until the conversation is stored, because tools may write to it.
   *
   * @throws the error of a failed write.
   */
  async untilStored(): Promise<void> {
    const { isEnabled } = this.#memory.workingMemory;
    if (isEnabled && this.#conversation.isNew && !this.#hasWritten) this.#write(true);
    await this.#writing;
    this.throwIfFailed();
  }

  /** Writes the rest, as the whole reply. @throws the error of a failed write. */
  async end(): Promise<void> {
    await this.#end(true);
  }

  async #end(isComplete: boolean): Promise<void> {
    this.stop();
    if (this.#writing !== undefined) await this.#writing;
    this.throwIfFailed();
    const save = this.#nextSave('end', { isComplete });
    if (save !== undefined) {
      await this.#save(save, true);
      this.throwIfFailed();
    }
    if (this.#refusal !== undefined && !this.#isDisabled)
      await markRefusedFiles(this.#memory, this.#asked, this.#refusal);
    this.#startBackgroundWork();
  }

  /** Begins no further write. */
  stop(): void {
    clearImmediate(this.#firstWrite);
    clearTimeout(this.#timer);
    this.#hasEnded = true;
    this.#isWriteDue = false;
  }

  /** Writes the reply of a run that has failed or was aborted, as far as there is one. */
  async endFailed({ isStopped }: { readonly isStopped: boolean }): Promise<void> {
    this.#isStopped = isStopped;
    const known = this.#failure;
    await this.#end(false).catch((error: unknown) => {
      // Messages of earlier writes are stored, so they are indexed.
      this.#startBackgroundWork();
      if (error === known) return;
      const { agentId, logger } = this.#options;
      logger.error({ err: error, agentId }, 'the reply of a failed run could not be written');
    });
  }

  #writeSoon(): void {
    const { debounceMs } = this.#options.settings.persistence;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), debounceMs);
  }

  #write(evenEmpty = false): void {
    if (this.#failure !== undefined) return;
    if (this.#writing !== undefined) {
      this.#isWriteDue = true;
      return;
    }
    const save = this.#nextSave('during', { evenEmpty });
    if (save === undefined) return;
    this.#writing = this.#save(save, false).then(() => {
      this.#writing = undefined;
      if (!this.#isWriteDue) return;
      this.#isWriteDue = false;
      this.#write();
    });
  }

  async #save(save: MessageSave, isLast: boolean): Promise<void> {
    const id = this.#sharedId;
    try {
      // A write before the end continues the last one, unless another run has written since.
      if (!isLast && this.#growing.isOpen && (await this.#saveGrowing(save))) return;
      if (id === undefined || save.messages.every((message) => message.id !== id)) await this.#store(save, isLast);
      else await this.#memory.writes.run(`${save.conversationId}/${id}`, () => this.#saveShared(save, id, isLast));
    } catch (error) {
      this.#failure = storageFailure(error);
    }
  }

  async #store(save: MessageSave, isLast: boolean): Promise<void> {
    if (!isLast && (await this.#saveGrowing(save))) return;
    const { conversations } = this.#memory.storage;
    const saved = await this.#record(save, () => conversations.save(this.#conversation.key.owner, save));
    this.#growing.close();
    this.#saved(saved, save);
  }

  /** Writes a reply that is stored already. @returns false when it must be written whole. */
  async #saveGrowing(save: MessageSave): Promise<boolean> {
    const { create, dropAfter, messages } = save;
    const [answer, ...others] = messages;
    const isAlone = others.length === 0 && create === undefined && dropAfter === undefined;
    if (answer?.id !== this.messageId || !isAlone || !this.#isReplyStored || !this.#growing.takes(answer)) return false;
    const isSaved = await this.#record(save, () => this.#growing.save(answer));
    if (isSaved) this.#saved({ isNew: false, dropped: [] }, save);
    return isSaved;
  }

  #record<Result>({ conversationId, messages }: MessageSave, work: () => Promise<Result>): Promise<Result> {
    const { messageBytes } = this.#memory.settings.limits;
    for (const { id, metadata, parts, role } of messages) {
      const check = role === 'assistant' ? checkOwnSize : checkSize;
      check({ parts, metadata }, messageBytes, `message "${id}"`);
    }
    const { journal, recording } = this.#options;
    return recordMemory(recording, 'write', conversationId, () => storageCall(journal, work));
  }

  /** Adopts the outcomes that another run has stored for calls of this message. */
  async #saveShared(save: MessageSave, id: string, isLast: boolean): Promise<void> {
    const { conversations } = this.#memory.storage;
    const { owner } = this.#conversation.key;
    const [stored] = await storageCall(this.#options.journal, () =>
      conversations.findMessages(owner, save.conversationId, [id]),
    );
    await this.#store(stored === undefined ? save : this.#withOutcomesOf(stored, save), isLast);
  }

  #withOutcomesOf({ id, parts: theirs }: StoredMessage, save: MessageSave): MessageSave {
    // Parts that the run has added are newer than those of an incomplete reply.
    const shared = id === this.messageId ? theirs.slice(0, this.#reply.givenCount) : theirs;
    const withTheirs = (parts: readonly MessagePart[]): MessagePart[] => withOutcomes(parts, shared);
    if (id === this.messageId) this.#reply.change(withTheirs);
    const messages = save.messages.map((message) =>
      message.id === id ? { ...message, parts: withTheirs(message.parts) } : message,
    );
    return { ...save, messages };
  }

  #saved(saved: SavedMessages | 'not-found', { conversationId, create, messages }: MessageSave): void {
    if (saved === 'not-found') {
      // Another owner has created a conversation with this id, or this one was deleted.
      if (create !== undefined) throw new NotFoundError('conversation', conversationId);
      this.#isDisabled = true;
      return;
    }
    this.#hasWritten = true;
    this.#isReplyStored ||= messages.some(({ id }) => id === this.messageId);
    this.#isNew ||= saved.isNew;
    if (saved.dropped.length > 0) this.#dropped = saved.dropped;
    this.#written = this.#written.length === 0 ? messages : withNewer(this.#written, messages);
  }

  /** Everything that is not written yet, which counts as written from now on. */
  #nextSave(place: 'during' | 'end', { evenEmpty = false, isComplete = false }: NextSave): MessageSave | undefined {
    const isLast = place === 'end';
    if (this.#isDisabled) return undefined;
    const hasOtherEnd = isComplete ? this.#isMarked : this.#isStopped;
    const isDue = !this.#isReplyWritten || (isLast && this.#growing.isOpen) || hasOtherEnd;
    const answer = isDue && this.#reply.isWorthStoring ? this.#message(isLast, isComplete) : undefined;
    const messages = this.#isInputWritten ? [] : [...this.#input];
    const replaced = answer === undefined ? undefined : this.#replaced;
    if (replaced !== undefined && this.#summary !== undefined) messages.push(this.#summary);
    if (replaced !== undefined) messages.push(replaced);
    if (answer !== undefined) messages.push(answer);
    if (messages.length === 0 && !evenEmpty) return undefined;

    const { isNew, isRepeated, key } = this.#conversation;
    this.#isInputWritten = true;
    if (answer !== undefined) {
      this.#isReplyWritten = true;
      this.#isMarked = !isComplete;
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

  #message(isLast: boolean, isComplete: boolean): Message {
    const { journal } = this.#options;
    const answered = this.#reply.snapshot(isLast);
    // Another process continues it if this one dies.
    const isOfExecution = journal !== undefined && journal.busyPolicy === undefined;
    const parts = isOfExecution ? ofExecution(answered) : answered;
    if (!isComplete) parts.push(this.#isStopped ? stoppedPart : incompletePart);
    return {
      id: this.messageId,
      role: 'assistant',
      parts,
      ...(this.#metadata !== undefined && { metadata: this.#metadata }),
    };
  }

  #startBackgroundWork(): void {
    if (this.#isDisabled || !this.#hasWritten) return;
    const { logger, models } = this.#options;
    const { conversationId, userId } = this.#conversation.key;
    this.#memory.afterWrite({
      conversationId,
      userId,
      isFirst: this.#isNew || this.#conversation.hasNoQuestion,
      messages: this.#written,
      dropped: this.#dropped,
      models,
      logger,
    });
  }
}
