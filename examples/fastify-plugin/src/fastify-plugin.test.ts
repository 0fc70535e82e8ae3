import { demoModel } from '@halyard/example-demo-model';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createShop } from './app.ts';

let app: FastifyInstance;
beforeEach(async () => {
  app = await createShop(demoModel({ delayMs: 0 }));
  onTestFinished(() => app.close());
});

async function signIn(id: string): Promise<string> {
  const [cookie] = (await app.inject({ method: 'POST', url: `/sign-in/${id}` })).cookies;
  expect(cookie).toMatchObject({ name: 'session', httpOnly: true, sameSite: 'Strict' });
  return cookie?.value ?? '';
}

function ask(input: string, headers: Record<string, string>, options: object = {}): Promise<LightMyRequestResponse> {
  return app.inject({ method: 'POST', url: '/ai/agents/clerk/text', headers, payload: { input, options } });
}

it('answers the users of the app, each with their own orders', async () => {
  const [ada, grace] = [await signIn('ada'), await signIn('grace')];
  const answer = await ask('List my orders', { cookie: `session=${ada}` });
  expect(answer.body).toContain('Storm jib');
  expect(answer.body).not.toContain('Compass');
  const other = await ask('List my orders', { cookie: `session=${grace}` }, { userId: 'ada' });
  expect(other.body).not.toContain('Storm jib');
  expect((await ask('List my orders', { authorization: `Bearer ${ada}` })).body).toContain('Storm jib');
});

it('keeps the conversations of a user from others', async () => {
  const [ada, grace] = [await signIn('ada'), await signIn('grace')];
  expect((await ask('Hello', { cookie: `session=${ada}` }, { conversationId: 'hello' })).statusCode).toBe(200);
  const read = async (session: string): Promise<number> =>
    (await app.inject({ url: '/ai/api/memory/conversations/hello', headers: { cookie: `session=${session}` } }))
      .statusCode;
  expect([await read(ada), await read(grace)]).toEqual([200, 404]);
});

it('refuses requests without a session of the app, and those of a session that has ended', async () => {
  const session = await signIn('ada');
  const headers = { cookie: `session=${session}` };
  expect([(await ask('Hi', {})).statusCode, (await ask('Hi', { cookie: 'session=made-up' })).statusCode]).toEqual([
    401, 401,
  ]);
  expect((await app.inject({ method: 'POST', url: '/sign-out', headers })).statusCode).toBe(200);
  expect((await ask('Hi', headers)).statusCode).toBe(401);
});

it('does not answer pages of other origins with the session of a user', async () => {
  const cookie = `session=${await signIn('ada')}`;
  const statuses = ['same-origin', 'none', 'same-site', 'cross-site'].map(
    async (site) => (await ask('Hi', { cookie, 'sec-fetch-site': site })).statusCode,
  );
  expect(await Promise.all(statuses)).toEqual([200, 200, 401, expect.toBeOneOf([401, 403])]);
});

it('leaves the routes of the app to the app', async () => {
  expect((await app.inject('/orders')).statusCode).toBe(401);
  const headers = { cookie: `session=${await signIn('ada')}` };
  expect((await app.inject({ url: '/orders', headers })).json()).toHaveLength(2);
  expect((await app.inject({ method: 'POST', url: '/sign-in/nobody' })).json()).toEqual({ error: 'No such customer' });
  expect((await app.inject('/nowhere')).json()).toMatchObject({ message: 'Route GET:/nowhere not found' });
});
