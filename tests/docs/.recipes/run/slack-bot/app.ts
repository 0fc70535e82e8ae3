import { createHmac, timingSafeEqual } from 'node:crypto';
import { openai } from '@ai-sdk/openai';
import { Agent, createMemory, createWorkflow } from '@halyard/core';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createServer } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';

const signingSecret = process.env['SLACK_SIGNING_SECRET'] ?? '';
const botToken = process.env['SLACK_BOT_TOKEN'] ?? '';
const slackUrl = process.env['SLACK_API_URL'] ?? 'https://slack.com/api';
if (signingSecret === '' || botToken === '') throw new TypeError('Set SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN');

const storage = createPostgresStorage({ dataDir: '.halyard' });
const bot = new Agent({
  id: 'bot',
  instructions: 'You answer in Slack. Be brief.',
  model: openai('gpt-5-mini'),
  memory: createMemory({ storage }),
});

/** Otherwise Slack would obey what somebody makes the model write, such as `<!channel>`. */
const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** What somebody has written, without mentions. A mention alone becomes a greeting, because providers refuse an empty message. */
function readText(text: string): string {
  const written = text.replaceAll(/<@\w+>/g, '').trim();
  return written.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') || 'Hello.';
}

const answer = createWorkflow({
  id: 'answer-mention',
  input: Type.Object({ channel: Type.String(), thread: Type.String(), text: Type.String() }),
  // The second of two questions in a thread waits for the first answer, and is asked with it.
  concurrency: { limit: 1, key: ({ input }) => `${input.channel}-${input.thread}` },
})
  .andAgent({ id: 'think', agent: bot, prompt: ({ data }) => data.text })
  .andThen({
    id: 'post',
    retries: { attempts: 5, delayMs: 2_000 },
    timeoutMs: 10_000,
    execute: async ({ data, input, signal }) => {
      const { channel, thread } = input;
      const reply = await fetch(`${slackUrl}/chat.postMessage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${botToken}`, 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ channel, thread_ts: thread, text: escape(data) }),
        signal,
      });
      const { error, ok } = (await reply.json()) as { ok: boolean; error?: string };
      if (!ok) throw new Error(`Slack refused the message: ${error}`);
    },
  });

const server = await createServer({ workflows: [answer], storage });

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
function isFromSlack(body: string, timestamp: string, signature: string): boolean {
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false;
  const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
  const [expected, received] = [Buffer.from(`v0=${digest}`), Buffer.from(signature)];
  return received.length === expected.length && timingSafeEqual(received, expected);
}

interface SlackRequest {
  readonly type: string;
  readonly challenge?: string;
  readonly event_id: string;
  readonly event?: {
    readonly type: string;
    readonly user: string;
    readonly text: string;
    readonly channel: string;
    readonly ts: string;
    readonly thread_ts?: string;
  };
}

await server.app.register(async (slack) => {
  // The signature is about the bytes of the body, so that they are parsed only after it was checked.
  slack.removeContentTypeParser('application/json');
  slack.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  slack.post<{ Body: string }>('/slack/events', async (request, reply) => {
    const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = request.headers;
    if (!isFromSlack(request.body, String(timestamp), String(signature))) return reply.code(401).send();

    const { challenge, event, event_id: eventId, type } = JSON.parse(request.body) as SlackRequest;
    if (type === 'url_verification') return { challenge };
    if (event?.type !== 'app_mention') return reply.code(200).send();
    const thread = event.thread_ts ?? event.ts;
    const input = { channel: event.channel, thread, text: readText(event.text) };
    const options = { executionId: `slack-${eventId}`, userId: 'slack', conversationId: `${event.channel}-${thread}` };
    await server.runtime.begin('answer-mention', input, options).catch((error: { code?: string }) => {
      // Slack has sent the event before.
      if (error.code !== 'EXECUTION_EXISTS') throw error;
    });
    return reply.code(200).send();
  });
});
await server.listen();
