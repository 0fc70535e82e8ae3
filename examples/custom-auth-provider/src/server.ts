import rateLimit from '@fastify/rate-limit';
import { Agent, createMemory, type LanguageModel } from '@halyard/core';
import { createServer, type HalyardServer, verifiedUser } from '@halyard/server-fastify';
import type { SessionAuth } from './session-auth.ts';

/**
 * The body of `POST /sessions`. In an app of yours: a password, a passkey, or the token of an
 * identity provider.
 */
const signIn = {
  type: 'object',
  required: ['name', 'password'],
  additionalProperties: false,
  properties: { name: { type: 'string', maxLength: 100 }, password: { type: 'string', maxLength: 100 } },
};

/**
 * A server whose users sign in and out. It is not listening yet. @param passwords of the users, in
 * place of your own check
 */
export async function createSessionServer(
  model: LanguageModel,
  sessions: SessionAuth,
  passwords: ReadonlyMap<string, string>,
): Promise<HalyardServer> {
  const guide = new Agent({ id: 'guide', instructions: 'You are brief and kind.', model });
  const server = await createServer({
    agents: [guide],
    memory: createMemory(),
    auth: { provider: sessions, publicRoutes: ['POST /sessions'] },
  });

  // Passwords can be guessed: ten attempts per minute and address.
  await server.app.register(rateLimit, { global: false });
  const config = { rateLimit: { max: 10, timeWindow: '1 minute' } };
  server.app.post('/sessions', { schema: { body: signIn }, config }, async ({ body }, reply) => {
    const { name, password } = body as { readonly name: string; readonly password: string };
    if (passwords.get(name) !== password) return reply.code(401).send({ error: 'The name or the password is wrong' });
    return { token: sessions.open({ id: name, role: 'customer' }) };
  });
  // The routes of the app need a token too.
  server.app.get('/sessions/current', async (request) => ({ user: verifiedUser(request) }));
  server.app.delete('/sessions/current', async ({ headers }, reply) => {
    sessions.revoke(headers.authorization?.replace(/^bearer +/i, '') ?? '');
    return reply.code(204).send();
  });
  server.app.delete('/sessions', async (request, reply) => {
    sessions.revokeAll(verifiedUser(request)?.id ?? '');
    return reply.code(204).send();
  });
  return server;
}
