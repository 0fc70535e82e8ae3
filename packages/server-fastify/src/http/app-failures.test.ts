import Fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServer, halyard, type ServerOptions } from '../index.ts';
import { unreachableLimits } from '../testing/serve.ts';

async function open(options: ServerOptions = {}) {
  const { app, close } = await createServer({ logger: false, signals: false, limits: unreachableLimits, ...options });
  onTestFinished(close);
  return app;
}

function refusal(statusCode: number, more: object = {}): Error {
  return Object.assign(new Error('The shop is closed'), { statusCode, ...more });
}

describe('an error of the app', () => {
  it.each([
    ['with a status', refusal(402), 402, 'REQUEST_REFUSED'],
    ['with a status and a code', refusal(423, { code: 'SHOP_CLOSED' }), 423, 'SHOP_CLOSED'],
    ['with a status and a code that is no header', refusal(409, { code: 'a\r\nb' }), 409, 'REQUEST_REFUSED'],
  ])('keeps its status and message: %s', async (_, error, status, code) => {
    const app = await open();
    app.get('/own', () => {
      throw error;
    });
    const reply = await app.inject('/own');
    expect(reply.statusCode).toBe(status);
    expect(reply.headers['x-error-code']).toBe(code);
    expect(reply.json()).toEqual({ success: false, error: 'The shop is closed' });
  });

  it.each([refusal(500), refusal(503), refusal(200), refusal(400.5), new Error('The shop is closed')])(
    'with another status or none is a fault of the server',
    async (error) => {
      const app = await open();
      app.get('/own', () => {
        throw error;
      });
      const reply = await app.inject('/own');
      expect(reply.statusCode).toBe(500);
      expect(reply.body).not.toContain('closed');
    },
  );

  it('of Fastify validation is a 400 that names the field', async () => {
    const app = await open();
    app.post('/own', { schema: { body: { type: 'object', required: ['name'] } } }, () => 'done');
    const reply = await app.inject({ method: 'POST', url: '/own', payload: {} });
    expect(reply.statusCode).toBe(400);
    expect(reply.headers['x-error-code']).toBe('INVALID_INPUT');
    expect(reply.json()).toMatchObject({ success: false, error: expect.stringContaining("'name'") });
  });

  it('keeps its status where its auth hook refuses requests to the plugin', async () => {
    const app = Fastify({ pluginTimeout: 0 });
    onTestFinished(() => app.close());
    app.addHook('onRequest', async () => {
      throw refusal(401);
    });
    await app.register(halyard, {});
    const reply = await app.inject('/agents');
    expect(reply.statusCode).toBe(401);
    expect(reply.json()).toEqual({ success: false, error: 'The shop is closed' });
  });
});

it.each([{}, { origin: 'https://app.example' }, { 'access-control-request-method': 'POST' }])(
  'answers OPTIONS that is no preflight request in the envelope: %j',
  async (headers) => {
    const app = await open({ cors: true });
    const reply = await app.inject({ method: 'OPTIONS', url: '/agents', headers });
    expect(reply.statusCode).toBe(400);
    expect(reply.headers['x-error-code']).toBe('INVALID_REQUEST');
    expect(reply.json()).toMatchObject({ success: false, error: expect.stringContaining('preflight') });
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    expect((await app.inject({ method: 'OPTIONS', url: '/agents', headers: preflight })).statusCode).toBe(204);
  },
);

it.each(['0x10', '0b1', '0o7', '1e999', ' 5', '5 ', 'Infinity', ''])('refuses the limit %j', async (limit) => {
  const app = await open();
  const reply = await app.inject({ url: '/workflows/executions', query: { limit } });
  expect(reply.statusCode).toBe(400);
  expect(reply.json()).toMatchObject({ success: false, error: expect.stringMatching(/^query\/limit must be /) });
  expect((await app.inject({ url: '/workflows/executions', query: { limit: '5' } })).statusCode).toBe(200);
});
