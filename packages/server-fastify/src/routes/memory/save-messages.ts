import { InvalidInputError, type Message, type MessagePart, type Owner } from '@halyard/contracts';
import type { Caller } from '../../access/caller.ts';
import { ownerNamed } from '../../access/owner.ts';
import type { Services } from '../../define/services.ts';
import type { MemoryQuery } from '../../schemas/memory-query.ts';
import type { MessageToSave, SavedEntry, SaveMessagesRequest } from '../../schemas/save-messages-request.ts';
import { accessMemory, type MemoryAccess, onConversation } from './memory-access.ts';

/** What goes into one conversation. */
interface Batch {
  readonly conversationId: string;
  readonly owner: Owner;
  readonly messages: Message[];
  /** Where in the request each id stands. */
  readonly places: Map<string, number>;
}

interface SaveCall {
  readonly caller: Caller;
  readonly query: MemoryQuery;
  readonly body: SaveMessagesRequest;
}

/** @returns how many messages were saved. @throws before anything is written, for whatever is wrong with any of them. */
export async function saveMessages(
  call: SaveCall,
  { memories, run }: Pick<Services, 'memories' | 'run'>,
): Promise<number> {
  const access = accessMemory(call.caller, [call.body, call.query], { memories });
  const batches = toBatches(call, access, () => run.ids.next());
  // The only one is looked for by its write.
  if (batches.length > 1) for (const batch of batches) await findConversation(batch, access);
  for (const { conversationId, messages, owner } of batches) {
    await onConversation({ ...access, owner }, conversationId, (named) =>
      access.memory.save(named, conversationId, messages),
    );
  }
  return call.body.messages.length;
}

async function findConversation({ conversationId, owner }: Batch, access: MemoryAccess): Promise<void> {
  await onConversation({ ...access, owner }, conversationId, (named) => access.memory.get(named, conversationId));
}

function toBatches({ body, caller }: SaveCall, access: MemoryAccess, nextId: () => string): readonly Batch[] {
  const batches = new Map<string, Batch>();
  for (const [at, entry] of body.messages.entries()) {
    const field = `body/messages/${at}`;
    const owner = ownerNamed(caller, entry.userId);
    const whose = owner === 'anyone' ? access.owner : owner;
    if (whose === 'anyone') throw new InvalidInputError(`${field} must have userId, or the body must`);
    const conversationId = entry.conversationId ?? body.conversationId;
    if (conversationId === undefined)
      throw new InvalidInputError(`${field} must have conversationId, or the body must`);
    const key = `${conversationId} ${whose.user}`;
    const batch = batches.get(key) ?? { conversationId, owner: whose, messages: [], places: new Map() };
    batches.set(key, batch);
    addMessage(batch, toMessage(messageOf(entry), nextId), at);
  }
  return [...batches.values()];
}

function addMessage({ messages, places }: Batch, message: Message, at: number): void {
  const earlier = places.get(message.id);
  if (earlier !== undefined)
    throw new InvalidInputError(`body/messages/${at} must have an id of its own: body/messages/${earlier} has it too`);
  places.set(message.id, at);
  messages.push(message);
}

function messageOf(entry: SavedEntry): MessageToSave {
  return 'message' in entry ? entry.message : entry;
}

function toMessage({ content, id, metadata, parts, role }: MessageToSave, nextId: () => string): Message {
  return {
    id: id ?? nextId(),
    role,
    parts: parts ?? toParts(content ?? []),
    ...(metadata !== undefined && { metadata }),
  };
}

function toParts(content: string | MessagePart[]): MessagePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
