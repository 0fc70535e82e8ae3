import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { agentWithMemory } from '../../memory/testing/agent-with-memory.ts';
import { downloadFile } from '../../model/files/file-download.ts';
import type { InputUIMessage } from '../../model/messages/message.ts';
import { scriptedModel, silentLogger } from '../../testing/index.ts';
import { Agent } from '../agent.ts';

const url = 'https://files.example.com/cat.png';
const reader = { ...scriptedModel('A cat.'), supportedUrls: { 'image/*': [/^https?:\/\/.*$/] } };

function question(at: string, mediaType = 'image/png'): InputUIMessage[] {
  return [{ role: 'user', parts: [{ type: 'file', mediaType, url: at }] }];
}

function fetching() {
  const fetched: string[] = [];
  const fetchOne = async (at: string) => {
    fetched.push(at);
    return { data: new Uint8Array([1]), mediaType: 'image/png' };
  };
  return { fetched, services: { logger: silentLogger, downloadFile: fetchOne } };
}

it('passes the URL of a file on to a model that reads it, in later turns too', async () => {
  const { fetched, services } = fetching();
  const { agent, options } = agentWithMemory(['-'], { model: reader });

  await agent.generateText(question(url), { ...options, services });
  await agent.generateText('And now?', { ...options, services });

  expect(fetched).toEqual([]);
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL(url) } };
  for (const { prompt } of reader.calls) expect(prompt[0]).toMatchObject({ role: 'user', content: [file] });
});

it('fetches a file for a model that does not read its URL or its type', async () => {
  const { fetched, services } = fetching();

  await new Agent({ id: 'a', model: scriptedModel('-') }).generateText(question(url), { services });
  await new Agent({ id: 'a', model: reader }).generateText(question(url, 'application/pdf'), { services });
  await new Agent({ id: 'a', model: [reader, scriptedModel('-')] }).generateText(question(url), { services });

  expect(fetched).toEqual([url, url, url]);
});

function questionAbout(count: number): InputUIMessage[] {
  const file = (index: number) => ({ type: 'file' as const, mediaType: 'image/png', url: `${url}?${index}` });
  return [{ role: 'user', parts: Array.from({ length: count }, (_, index) => file(index)) }];
}

it('fetches all files of a request, four at the same time', async () => {
  let [all, running, most] = [0, 0, 0];
  const downloadOne = async () => {
    all += 1;
    running += 1;
    most = Math.max(most, running);
    await yieldToEventLoop();
    running -= 1;
    return { data: new Uint8Array([1]), mediaType: 'image/png' };
  };
  const services = { logger: silentLogger, downloadFile: downloadOne };
  await new Agent({ id: 'a', model: scriptedModel('-') }).generateText(questionAbout(200), { services });
  expect([all, most]).toEqual([200, 4]);
});

it('refuses files of more than 50 MB together, and fetches no more of them', async () => {
  let all = 0;
  const data = new Uint8Array(10 * 1024 * 1024);
  const downloadOne = async () => {
    all += 1;
    await yieldToEventLoop();
    return { data, mediaType: 'image/png' };
  };
  const services = { logger: silentLogger, downloadFile: downloadOne };
  const agent = new Agent({ id: 'a', model: scriptedModel('-') });
  await expect(agent.generateText(questionAbout(200), { services })).rejects.toMatchObject({
    code: 'FILE_NOT_ACCEPTED',
    message: 'The files are not accepted: they have more than 50 MB together',
  });
  expect(all).toBeLessThan(12);
});

it.each([
  'http://127.0.0.1/x.png',
  'http://[::1]/x.png',
  'http://localhost/x.png',
  'http://localhost./x.png',
  'http://db.internal/x.png',
  'http://me:pass@example.com/x.png',
])('refuses %s although the model reads every URL', async (at) => {
  const services = {
    logger: silentLogger,
    downloadFile: (to: string) => downloadFile(to, { lookup: async () => [{ address: '10.0.0.1' }] }),
  };
  await expect(new Agent({ id: 'a', model: reader }).generateText(question(at), { services })).rejects.toMatchObject({
    code: 'FILE_NOT_ACCEPTED',
  });
});
