import { openai } from '@ai-sdk/openai';
import { customAuth } from '@halyard/auth-custom';
import { Agent, createMemory, createTool } from '@halyard/core';
import { createPgVectorStore } from '@halyard/memory-pgvector';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer, verifiedUser } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import { embed, embedMany } from 'ai';

const url = process.env['DATABASE_URL'];
const storage = createPostgresStorage(url === undefined ? { dataDir: '.halyard' } : { connectionString: url });
// A schema of its own keeps the documents apart from the messages of conversations.
const documents = createPgVectorStore({ storage, schema: 'documents', dimensions: 1536 });
const embedding = openai.embedding('text-embedding-3-small');

/** Paragraphs, joined up to about 1000 characters. */
function split(text: string): string[] {
  const chunks: string[] = [];
  for (const paragraph of text.split(/\n\s*\n/).filter((each) => each.trim() !== '')) {
    const last = chunks.at(-1);
    if (last === undefined || last.length + paragraph.length > 1_000) chunks.push(paragraph);
    else chunks[chunks.length - 1] = `${last}\n\n${paragraph}`;
  }
  return chunks;
}

async function addDocument(userId: string, title: string, text: string): Promise<number> {
  const chunks = split(text).map((chunk) => `${title}\n${chunk}`);
  const { embeddings } = await embedMany({ model: embedding, values: chunks });
  const id = JSON.stringify([userId, title]);
  await documents.deleteConversation(id);
  await documents.upsert(
    chunks.map((chunk, index) => ({
      conversationId: id,
      messageId: String(index),
      userId,
      role: 'user',
      text: chunk,
      createdAt: Date.now(),
      embedding: embeddings[index] ?? [],
    })),
  );
  return chunks.length;
}

const searchDocuments = createTool({
  name: 'searchDocuments',
  description: 'Finds passages in the documents of the user',
  input: Type.Object({ query: Type.String() }),
  execute: async ({ query }, { signal, user }) => {
    if (typeof user?.id !== 'string') throw new TypeError('Nobody is signed in');
    const { embedding: vector } = await embed({ model: embedding, value: query, abortSignal: signal });
    const found = await documents.search({ user: user.id }, { embedding: vector, limit: 5, threshold: 0.3 });
    return found.map(({ score, text }) => ({ score, text }));
  },
});

const librarian = new Agent({
  id: 'librarian',
  instructions:
    'Answer from the passages that searchDocuments finds, and name their titles. Say so if they do not help.',
  model: openai('gpt-5-mini'),
  tools: [searchDocuments],
});

const tokens = new Map([
  ['token-of-ada', { id: 'ada' }],
  ['token-of-ben', { id: 'ben' }],
]);
const server = await createServer({
  agents: [librarian],
  memory: createMemory({ storage }),
  storage,
  auth: { provider: customAuth({ type: 'token', verifyToken: (token) => tokens.get(token) ?? null }) },
});
server.app.post<{ Body: { title: string; text: string } }>(
  '/documents',
  { schema: { body: Type.Object({ title: Type.String({ maxLength: 100 }), text: Type.String() }) } },
  async (request) => {
    const user = verifiedUser(request);
    return { passages: await addDocument(String(user?.id), request.body.title, request.body.text) };
  },
);
await server.listen();
