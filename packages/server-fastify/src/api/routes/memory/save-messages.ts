import { InvalidInputError, type Message, type MessagePart, type Owner } from '@halyard/contracts';
import { type Caller, ownerNamed } from '../../../access/identity.ts';
import type { Services } from '../../services.ts';
import { accessMemory, type MemoryAccess, onConversation } from './memory-access.ts';
import type { MemoryQuery, MessageToSave, SavedEntry, SaveMessagesRequest } from './schemas.ts';

/** The messages for one conversation. */
interface Batch {
  readonly conversationId: string;
  readonly owner: Owner;
  readonly messages: Message[];
  /** The position in the request of each message id. */
  readonly places: Map<string, number>;
}

interface SaveCall {
  readonly caller: Caller;
  readonly query: MemoryQuery;
  readonly body: SaveMessagesRequest;
}

/**
 * @returns the number of saved messages. @throws before anything is written if any message is
 * invalid.
 */
export async function saveMessages(
  call: SaveCall,
  { memories, agentServices }: Pick<Services, 'memories' | 'agentServices'>,
): Promise<number> {
  const access = accessMemory(call.caller, [call.body, call.query], { memories });
  const batches = toBatches(call, access, () => agentServices.ids.next());
  // A single conversation is checked by its write.
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
    throw new InvalidInputError(`body/messages/${at} must have a unique id: body/messages/${earlier} has the same`);
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
