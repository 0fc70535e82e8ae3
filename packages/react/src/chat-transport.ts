import type { Client } from '@halyard/client';
import { DefaultChatTransport, type UIMessage } from 'ai';

/** The request with which each message of a chat is sent. */
export interface ChatRequest {
  readonly agentId: string;
  /** Whether the server stores the conversation, so that the newest message is enough. */
  readonly isStored: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Sends chats with the credentials of a client. A stream that is read again contains the whole
 * reply.
 */
export class HalyardChatTransport<Message extends UIMessage> extends DefaultChatTransport<Message> {
  override readonly resumeStreamIsReplay = true;

  /** Whether there was no live reply when one was last asked for. */
  hasFoundNone = false;

  /** @param request is called for each message, so that changed options apply from then on */
  constructor(client: Pick<Client, 'baseUrl' | 'fetch'>, request: () => ChatRequest) {
    super({
      api: '',
      fetch: (input, init) =>
        client.fetch(input instanceof Request ? input.url : String(input), {
          method: init?.method ?? 'GET',
          headers: Object.fromEntries(new Headers(init?.headers)),
          ...(typeof init?.body === 'string' && { body: init.body }),
          ...(init?.signal && { signal: init.signal }),
        }),
      prepareSendMessagesRequest: ({ body, id, messageId, messages, trigger }) => {
        const { agentId, isStored, options } = request();
        return {
          api: chatUrl(client, agentId),
          body: { ...body, id, messages: isStored ? messages.slice(-1) : messages, messageId, trigger, options },
        };
      },
      prepareReconnectToStreamRequest: ({ id }) => ({
        api: `${chatUrl(client, request().agentId)}/${encodeURIComponent(id)}/stream`,
      }),
    });
  }

  override async reconnectToStream(
    ...given: Parameters<DefaultChatTransport<Message>['reconnectToStream']>
  ): ReturnType<DefaultChatTransport<Message>['reconnectToStream']> {
    const stream = await super.reconnectToStream(...given);
    this.hasFoundNone = stream === null;
    return stream;
  }
}

function chatUrl({ baseUrl }: Pick<Client, 'baseUrl'>, agentId: string): string {
  return `${baseUrl}/agents/${encodeURIComponent(agentId)}/chat`;
}
