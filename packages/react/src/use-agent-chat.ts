import { type UseChatHelpers, useChat } from '@ai-sdk/react';
import {
  type AgentId,
  type AgentTools,
  type ApprovalAnswer,
  type ChatOptions,
  type Client,
  NotFoundError,
} from '@halyard/client';
import {
  type ChatInit,
  generateId,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIDataTypes,
  type UIMessage,
} from 'ai';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { HalyardChatTransport } from './chat-transport.ts';
import { useReconnect } from './use-reconnect.ts';
import { useSettledElsewhere } from './use-settled-elsewhere.ts';

/** A message of a chat with an agent, with the types of its tools. */
export type AgentMessage<App = unknown, Id = string> = UIMessage<unknown, UIDataTypes, AgentTools<App, Id>>;

export type AgentChatOptions<App, Id extends AgentId<App>> = Omit<
  ChatInit<AgentMessage<App, Id>>,
  'id' | 'messages' | 'transport'
> & {
  /** Milliseconds between two renderings of a reply. Default: each chunk is rendered. */
  readonly throttle?: number | undefined;
  /** Create it once, outside of components. */
  readonly client: Client<App>;
  readonly agentId: Id;
  /**
   * The conversation. Another id shows another conversation. Default: a new one, without a request
   * for its history. Its id is the `id` that the hook returns; if you pass it later, such as from
   * the address of the page, the chat stays.
   */
  readonly conversationId?: string | undefined;
  /** The user, on servers without access control. */
  readonly userId?: string | undefined;
  /**
   * `temperature`, `context` and other options of each message. Default: the reply is resumable.
   */
  readonly options?: Omit<ChatOptions, 'conversationId' | 'signal' | 'userId'> | undefined;
  /** Whether the agent has a memory, which stores the conversation. Default true. */
  readonly isStored?: boolean | undefined;
  /** How many of the newest messages are loaded. Default 100, at most 1000. */
  readonly historyLimit?: number | undefined;
};

/** A tool call that waits for a person. */
export interface PendingApproval {
  readonly id: string;
  readonly toolName: string;
  readonly input: unknown;
  /** Whether the response may have `always`. */
  readonly allowsAlways: boolean;
}

export interface ApprovalResponseOptions {
  /** Arguments that replace those of an approved call. */
  readonly input?: unknown;
  /** Approves later calls, too, in a stored chat, without `input`. `onError` is told of a refusal. */
  readonly always?: ApprovalAnswer['always'] | undefined;
}

export interface AgentChat<Message extends UIMessage> extends UseChatHelpers<Message> {
  /** Until the history is there. */
  readonly isLoading: boolean;
  /** Why the history could not be loaded; `reload` tries again. */
  readonly loadError: Error | undefined;
  readonly reload: () => void;
  /** A reply is being generated. */
  readonly isBusy: boolean;
  /** The connection to a reply was lost, and is being opened again. */
  readonly isReconnecting: boolean;
  /** The tool calls that wait for the person at the page. Respond to them by {@link answer}. */
  readonly approvals: readonly PendingApproval[];
  readonly answer: (
    approval: Pick<PendingApproval, 'id'>,
    approved: boolean,
    reason?: string,
    options?: ApprovalResponseOptions,
  ) => void;
  /**
   * Rates a reply of this chat; null withdraws the rating. Rejects with the error of the client.
   */
  readonly feedback: (reply: Pick<Message, 'id'>, rating: 'up' | 'down' | null, note?: string) => Promise<void>;
}

/**
 * `useChat` of the AI SDK for an agent: it loads the history, continues to read a reply after a
 * reload, a lost connection or the approval of somebody else, sends responses to approvals, and stops
 * replies at the server.
 */
export function useAgentChat<App = unknown, Id extends AgentId<App> = AgentId<App>>({
  agentId,
  client,
  conversationId: openedId,
  historyLimit = 100,
  isStored = true,
  options,
  userId,
  ...chatOptions
}: AgentChatOptions<App, Id>): AgentChat<AgentMessage<App, Id>> {
  type Message = AgentMessage<App, Id>;
  const { id: conversationId, isNew } = useOpened(openedId);
  const request = {
    agentId,
    isStored,
    options: { ...(isStored && { resumable: true }), ...options, ...(userId !== undefined && { userId }) },
  };
  const latest = useRef(request);
  const latestOnError = useRef(chatOptions.onError);
  useEffect(() => {
    latest.current = request;
    latestOnError.current = chatOptions.onError;
  });
  const transport = useMemo(() => new HalyardChatTransport<Message>(client, () => latest.current), [client]);
  const { sendAutomaticallyWhen = lastAssistantMessageIsCompleteWithApprovalResponses } = chatOptions;
  const chat = useChat<Message>({ ...chatOptions, sendAutomaticallyWhen, id: conversationId, transport });
  const { addToolApprovalResponse, messages, resumeStream, setMessages, status, stop: stopReading } = chat;

  const isIdle = useRef(true);
  useEffect(() => {
    isIdle.current = status === 'ready' || status === 'error';
  }, [status]);

  const readHistory = useCallback(
    async (signal: AbortSignal): Promise<readonly Message[]> => {
      try {
        const page = await client.conversations.messages(conversationId, {
          agentId,
          limit: historyLimit,
          signal,
          ...(userId !== undefined && { userId }),
        });
        return page.messages as readonly Message[];
      } catch (error) {
        // A conversation begins with its first message.
        if (error instanceof NotFoundError) return [];
        throw error;
      }
    },
    [agentId, client, conversationId, historyLimit, userId],
  );

  /** @returns the newest message where no reply is live */
  const resume = useCallback(async (): Promise<Message | undefined> => {
    transport.hasFoundNone = false;
    await resumeStream();
    if (!transport.hasFoundNone) return undefined;
    // The reply may have ended since the history was read.
    const history = await readHistory(new AbortController().signal);
    if (isIdle.current) setMessages(withHistory(history));
    return history.at(-1);
  }, [readHistory, resumeStream, setMessages, transport]);

  // The server does not know a new conversation, and its 404 would appear in the console of the
  // browser.
  const isLoadable = isStored && !isNew;
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<{ readonly key: unknown; readonly error?: Error }>();
  useEffect(() => {
    if (!isLoadable) return undefined;
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      const history = await readHistory(abort.signal);
      if (abort.signal.aborted) return;
      setMessages(withHistory(history));
      setLoaded({ key: readHistory });
      // A message that was sent in the meantime has a run.
      if (isIdle.current) await resume();
    };
    load().catch((error: unknown) => {
      if (!abort.signal.aborted) setLoaded({ key: readHistory, error: toError(error) });
    });
    return () => abort.abort();
  }, [attempt, isLoadable, readHistory, resume, setMessages]);

  const isReconnecting = useReconnect(chat, { isStored, readHistory, resume });
  const resumeIfIdle = useCallback(async (): Promise<void> => {
    if (!isIdle.current) return;
    const newest = await resume();
    // The response may have come between the two requests.
    const isSettled = newest !== undefined && pendingApprovals(newest).length === 0;
    if (isSettled && isIdle.current) await resume();
  }, [resume]);
  const pending = pendingApprovals(messages.at(-1));
  const isWaiting = isStored && pending.length > 0;
  useSettledElsewhere(client, { conversationId, isWaiting, resume: resumeIfIdle });
  const isBusy = status === 'submitted' || status === 'streaming';
  const isLoaded = !isLoadable || loaded?.key === readHistory;
  const stop = useCallback(async (): Promise<void> => {
    const stopped = stopReading();
    try {
      // A resumable reply goes on without readers.
      if (isStored) await client.agent(agentId).stopChat(conversationId);
    } catch (error) {
      latestOnError.current?.(toError(error));
    }
    await stopped;
  }, [agentId, client, conversationId, isStored, stopReading]);
  const answerAlways = async (response: ApprovalAnswer & { readonly approved: boolean }): Promise<void> => {
    setMessages(withResponse(messages, response));
    try {
      // Responses that wait for this one would be lost when the reply is read.
      for (const each of isStored ? responses(messages.at(-1)) : [])
        await client.approvals.answer({ ...each, conversationId }).catch(ignoreSettled);
      await client.approvals.answer({ ...response, conversationId });
    } catch (error) {
      setMessages(messages);
      latestOnError.current?.(toError(error));
    }
    // The reply goes on, also if the response of somebody else came first.
    if (isStored) await resumeIfIdle();
  };
  const feedback = useCallback(
    async ({ id: messageId }: Pick<Message, 'id'>, rating: 'up' | 'down' | null, note?: string): Promise<void> => {
      await client.agent(agentId).feedback({ conversationId, messageId, rating, note, userId });
    },
    [agentId, client, conversationId, userId],
  );
  return {
    ...chat,
    stop,
    feedback,
    isBusy,
    isLoading: !isLoaded,
    loadError: isLoaded ? loaded?.error : undefined,
    reload: () => {
      setLoaded(undefined);
      setAttempt((count) => count + 1);
    },
    isReconnecting,
    approvals: isBusy ? [] : pending,
    answer: ({ id }, approved, reason, { always, input } = {}) => {
      const response = { id, approved, ...(reason !== undefined && { reason }) };
      if (always !== undefined) return void answerAlways({ ...response, always, input });
      if (input === undefined) return void addToolApprovalResponse(response);
      // The AI SDK sends no arguments with a response.
      const answered = withResponse(messages, { ...response, input });
      setMessages(answered);
      if (isBusy) return;
      const isComplete = Promise.resolve(sendAutomaticallyWhen({ messages: answered }));
      void isComplete.then((isSent) => (isSent ? chat.sendMessage() : undefined));
    },
  };
}

interface Opened {
  readonly id: string;
  /**
   * The id was made up here: the server knows no conversation with this id before the first
   * message.
   */
  readonly isNew: boolean;
  readonly openedId: string | undefined;
}

/** The conversation of the page, or a new one, which stays the same when the page passes its id. */
function useOpened(openedId: string | undefined): Opened {
  const [opened, setOpened] = useState(() => open(openedId));
  if (opened.openedId === openedId) return opened;
  const next = opened.id === openedId ? { ...opened, openedId } : open(openedId);
  setOpened(next);
  return next;
}

function open(openedId: string | undefined): Opened {
  return { id: openedId ?? generateId(), isNew: openedId === undefined, openedId };
}

function pendingApprovals(message: UIMessage | undefined): readonly PendingApproval[] {
  if (message?.role !== 'assistant') return [];
  return message.parts.flatMap((part) => {
    if (!isToolUIPart(part) || part.state !== 'approval-requested') return [];
    const allowsAlways = part.callProviderMetadata?.['halyard']?.['always'] === true;
    return [{ id: part.approval.id, toolName: getToolName(part), input: part.input, allowsAlways }];
  });
}

function responses(message: UIMessage | undefined): readonly ApprovalAnswer[] {
  return (message?.parts ?? []).flatMap((part) => {
    if (!isToolUIPart(part) || part.state !== 'approval-responded') return [];
    const { approved, id, input, reason }: ApprovalAnswer = part.approval;
    return [{ id, approved, input, reason }];
  });
}

function ignoreSettled(error: unknown): void {
  if (!(error instanceof NotFoundError)) throw error;
}

function withResponse<Message extends UIMessage>(
  messages: readonly Message[],
  { always: _, ...approval }: ApprovalAnswer & { readonly approved: boolean },
): Message[] {
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      isToolUIPart(part) && part.state === 'approval-requested' && part.approval.id === approval.id
        ? { ...part, state: 'approval-responded' as const, approval }
        : part,
    ),
  }));
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new TypeError(String(error));
}

/** The stored messages. Messages that the person has sent in the meantime stay. */
function withHistory<Message extends UIMessage>(history: readonly Message[]): (current: Message[]) => Message[] {
  return (current) => [...history, ...current.filter(({ id }) => history.every((known) => known.id !== id))];
}
