import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { chooseModel } from './choose-model.ts';

describe('the model of an environment', () => {
  it('is the demo model without a key, and the hint names the variable to set', async () => {
    for (const env of [
      {},
      { OPENAI_API_KEY: ' ', HALYARD_MODEL: '' },
      { OPENAI_API_KEY: 'sk-1', HALYARD_MODEL: 'demo' },
    ]) {
      const { hint, kind, label, model } = await chooseModel(env);
      expect([kind, model.modelId]).toEqual(['demo', 'demo']);
      expect(label).toContain('demo model');
      expect(hint).toContain('OPENAI_API_KEY');
    }
  });

  it.each([
    ['openai', { OPENAI_API_KEY: 'secret' }, 'gpt-6-luna', 'openai.responses'],
    ['anthropic', { ANTHROPIC_API_KEY: 'secret' }, 'claude-haiku-5-5', 'anthropic.messages'],
    ['google', { GOOGLE_GENERATIVE_AI_API_KEY: 'secret' }, 'gemini-3.8-flash', 'google.generative-ai'],
  ])('is of %s when its key is set', async (kind, env, id, provider) => {
    const chosen = await chooseModel(env);
    expect(chosen).toMatchObject({
      kind,
      label: `${kind} · ${id}`,
      model: { specificationVersion: 'v4', modelId: id, provider },
    });
    const named = await chooseModel({ ...env, HALYARD_MODEL: 'another' });
    expect(named).toMatchObject({ kind, label: `${kind} · another`, model: { modelId: 'another' } });
    expect(`${chosen.label} ${chosen.hint ?? ''}`).not.toContain('secret');
  });

  it('is an OpenAI model if several keys are set', async () => {
    const { kind } = await chooseModel({
      GOOGLE_GENERATIVE_AI_API_KEY: 'a',
      ANTHROPIC_API_KEY: 'b',
      OPENAI_API_KEY: 'c',
    });
    expect(kind).toBe('openai');
  });
});

describe('a server that speaks the protocol of OpenAI', () => {
  it.each([
    [
      'with the key that is set',
      (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'secret' }),
      'Bearer secret',
    ],
    ['without a key', (url: string) => ({ OPENAI_BASE_URL: `${url}/v1/` }), undefined],
    [
      'as Ollama, by its root, never with the key of OpenAI',
      (url: string) => ({ OLLAMA_BASE_URL: url.replace('http://', ''), OPENAI_API_KEY: 'secret' }),
      undefined,
    ],
  ])('is asked %s', async (_, envFor, authorization) => {
    const requests: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      requests.push(request);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: '1',
          model: 'm',
          choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Ahoy' } }],
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const { kind, label, model } = await chooseModel({
        ...envFor(`http://127.0.0.1:${port}`),
        HALYARD_MODEL: 'qwen3',
      });
      expect([kind, label]).toEqual(['openai-compatible', `openai-compatible · qwen3 at 127.0.0.1:${port}`]);
      expect(label).not.toContain('secret');
      const { content } = await model.doGenerate({
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      });
      expect(content).toMatchObject([{ type: 'text', text: 'Ahoy' }]);
      expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
        ['/v1/chat/completions', authorization],
      ]);
    } finally {
      server.close();
    }
  });

  it('names the default model and its variable in the hint if no model is set', async () => {
    const { hint, model } = await chooseModel({ OLLAMA_BASE_URL: 'http://127.0.0.1:11434' });
    expect(hint).toContain(model.modelId);
    expect(hint).toContain('HALYARD_MODEL');
  });
});
