import { type Message, silentLogger, type Storage } from '@halyard/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPostgresStorage } from '../postgres-storage.ts';
import { type ServerDatabase, createServerDatabase } from '../testing/server-database.ts';

describe('a message whose parts are rows', () => {
  let server: ServerDatabase;
  let storage: Storage;
  beforeAll(async () => {
    server = await createServerDatabase();
    storage = createPostgresStorage({ connectionString: server.connectionString, logger: silentLogger });
  });
  afterAll(async () => {
    await storage.close();
    await server.remove();
  });

  const first = { type: 'text', text: 'First' } as const;
  const second = { type: 'text', text: 'Second' } as const;
  beforeEach(async () => {
    const create = { id: 'c', userId: 'ada', resourceId: 'a', title: '', metadata: {} };
    const { conversations } = storage;
    await conversations.delete('anyone', 'c');
    const answer: Message = { id: 'm', role: 'assistant', parts: [first] };
    await conversations.save('anyone', { conversationId: 'c', create, messages: [answer] });
    const parts = [first, second].map((part, place) => ({ place, part }));
    const key = { conversationId: 'c', messageId: 'm', writer: 'w' };
    await conversations.saveParts?.('anyone', { ...key, length: 2, parts });
  });

  const partsOf = async (select: string): Promise<unknown> => {
    const [row] = await server.query(select);
    return JSON.parse((row as { readonly parts: string }).parts);
  };
  const count = async (): Promise<unknown> =>
    (await server.query('select count(*)::integer as parts from halyard.message_parts'))[0];

  it('is read with its parts by pages, and as it was before from its own row', async () => {
    const page = `select parts from halyard.read_messages('c', null, 10, 1000000, 0, ${Number.MAX_SAFE_INTEGER}, null)`;
    expect(await partsOf(page)).toEqual([first, second]);
    expect(await partsOf('select parts from halyard.messages')).toEqual([first]);
  });

  it('is replaced by a save of the whole message', async () => {
    const parts = JSON.stringify([second]);
    const batch = JSON.stringify([{ id: 'c', messages: [{ id: 'm', role: 'assistant', parts }] }]);
    await server.query(`select * from halyard.save_messages('${batch}', 0)`);
    const page = await storage.conversations.messages('anyone', 'c', { limit: 10 });
    expect(page?.messages.map((message) => message.parts)).toEqual([[second]]);
    expect(await count()).toEqual({ parts: 0 });
  });

  it.each(['messages', 'conversations'])('is deleted with its parts from the table %s', async (table) => {
    expect(await count()).toEqual({ parts: 2 });
    await server.query(`delete from halyard.${table}`);
    expect(await count()).toEqual({ parts: 0 });
  });

  it('is deleted with all data of its user', async () => {
    expect(await storage.users.delete('ada')).toMatchObject({ conversations: 1, messages: 1 });
    expect(await count()).toEqual({ parts: 0 });
  });
});
