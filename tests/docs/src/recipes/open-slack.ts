import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | undefined;
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
}

interface SlackBlock {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly elements?: readonly SlackButton[];
}

interface SlackButton {
  readonly action_id: string;
  readonly value: string;
}

export interface Slack extends AsyncDisposable {
  readonly origin: string;
  readonly signingSecret: string;
  readonly botToken: string;
  /** As they are shown now, the earliest first. */
  messages(): readonly SlackMessage[];
  /** The errors that it has replied. */
  readonly refused: readonly string[];
  /** Refuses the next message, as Slack does when it has a fault. */
  refuseNext(): void;
}

/**
 * A workspace of Slack in which the bot is a member of the channel C1. It refuses what Slack refuses:
 * unknown tokens, channels and messages, and blocks that are too long.
 */
export async function openSlack(): Promise<Slack> {
  const [signingSecret, botToken] = ['shhh', 'xoxb-1'];
  const messages = new Map<string, SlackMessage>();
  const refused: string[] = [];
  let isFaulty = false;

  function call(method: string, fields: URLSearchParams, token: string): object {
    if (token !== botToken) return { ok: false, error: 'invalid_auth' };
    if (method === 'auth.test') return { ok: true, user_id: 'UBOT', bot_id: 'BBOT', team_id: 'T1' };
    const channel = fields.get('channel') ?? '';
    const blocks = JSON.parse(fields.get('blocks') ?? '[]') as readonly SlackBlock[];
    if (channel !== 'C1') return { ok: false, error: 'channel_not_found' };
    if (!blocks.every(isAccepted)) return { ok: false, error: 'invalid_blocks' };
    if (isFaulty) {
      isFaulty = false;
      return { ok: false, error: 'internal_error' };
    }
    const isUpdate = method === 'chat.update';
    if (!isUpdate && method !== 'chat.postMessage') return { ok: false, error: 'unknown_method' };
    const ts = isUpdate ? (fields.get('ts') ?? '') : `${messages.size + 1}.000100`;
    if (isUpdate && !messages.has(ts)) return { ok: false, error: 'message_not_found' };
    const threadTs = messages.get(ts)?.threadTs ?? fields.get('thread_ts') ?? undefined;
    messages.set(ts, { channel, ts, threadTs, text: fields.get('text') ?? '', blocks });
    return { ok: true, channel, ts, message: { ts } };
  }

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fields = new URLSearchParams(await text(request));
    const token = request.headers.authorization?.replace('Bearer ', '') ?? fields.get('token') ?? '';
    const result = call(request.url?.split('/').at(-1) ?? '', fields, token);
    if ('error' in result) refused.push(String(result.error));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  }

  const server = createServer((request, response) => void reply(request, response));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  return {
    origin: `http://127.0.0.1:${port}/`,
    signingSecret,
    botToken,
    messages: () => [...messages.values()],
    refused,
    refuseNext: () => {
      isFaulty = true;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** https://docs.slack.dev/reference/block-kit/blocks */
function isAccepted({ elements = [], text: shown, type }: SlackBlock): boolean {
  const limit = type === 'header' ? 150 : 3_000;
  return (shown?.text.length ?? 0) <= limit && elements.every(({ value }) => value.length <= 2_000);
}

export interface SlackRequest {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A click on a button, as Slack sends it. */
export function slackClick(
  { blocks, channel, ts }: SlackMessage,
  { at = Date.now(), button, secret, user }: SlackClickOptions,
): SlackRequest {
  const element = blocks.flatMap(({ elements = [] }) => elements).find((one) => one.action_id === button);
  if (element === undefined) throw new TypeError(`The message has no button ${button}`);
  const payload = {
    type: 'block_actions',
    user: { id: user, username: user.toLowerCase(), team_id: 'T1' },
    team: { id: 'T1' },
    channel: { id: channel },
    message: { ts },
    container: { type: 'message', channel_id: channel, message_ts: ts },
    trigger_id: '1.2.3',
    actions: [{ type: 'button', ...element }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  };
  return { method: 'POST', headers, body };
}

export interface SlackClickOptions {
  readonly button: 'approve' | 'deny';
  /** Its id in Slack. */
  readonly user: string;
  readonly secret: string;
  /** When Slack has signed it. */
  readonly at?: number;
}
