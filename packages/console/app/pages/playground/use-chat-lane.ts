import { type UseChatHelpers, useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, apiUrl } from '../../api/client.ts';
import { runApi } from '../../api/run-client.ts';
import { sendResponse } from '../approvals/send-response.ts';
import { readChat } from './conversations-query.ts';
import { type LaneSetup, optionsOf } from './lane.ts';
import { loggedFetch } from './logged-fetch.ts';
import { type SubAgentEvent, type SubAgents, withEvent } from './sub-agents.ts';
import type { ApprovalDecision } from './tool-call-view.tsx';

export interface ChatLane extends UseChatHelpers<UIMessage> {
  readonly isBusy: boolean;
  readonly subAgents: SubAgents;
  /** Ends the reply, also on the server. */
  readonly end: () => void;
  /** Responds to a call that waits, and reads the reply on. */
  readonly respond: (decision: ApprovalDecision) => Promise<void>;
  /** The replies that were ended. */
  readonly stoppedIds: ReadonlySet<string>;
}

/** A conversation with one agent. `messages`: what it begins with. */
export function useChatLane(
  setup: LaneSetup,
  messages: readonly UIMessage[],
  { isStored, onEnd }: { readonly isStored: boolean; readonly onEnd: () => void },
): ChatLane {
  const latest = useRef(setup);
  useEffect(() => {
    latest.current = setup;
  });
  const [subAgents, setSubAgents] = useState<SubAgents>({});
  const [stoppedIds, setStoppedIds] = useState<ReadonlySet<string>>(new Set());
  const { agent, conversationId, hasMemory, log } = setup;
  const api = `${apiUrl}agents/${encodeURIComponent(agent.id)}/chat`;
  const transport = useMemo(
    () =>
      new LaneTransport({
        api,
        fetch: loggedFetch(log),
        prepareSendMessagesRequest: ({ id, messageId, messages: all, trigger }) => ({
          body: latest.current.hasMemory
            ? { id, messages: all.slice(-1), messageId, trigger, options: optionsOf(latest.current) }
            : { messages: all, options: optionsOf(latest.current) },
        }),
      }),
    [api, log],
  );
  const chat = useChat({
    id: conversationId,
    messages: [...messages],
    transport,
    // A reply that is still generated is read on after a reload.
    resume: isStored,
    throttle: 50,
    onData: ({ data, type }) => {
      if (type === 'data-agent-event') setSubAgents((known) => withEvent(known, data as SubAgentEvent));
    },
    onFinish: onEnd,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';
  const end = (): void => {
    const last = chat.messages.at(-1);
    if (last?.role === 'assistant') setStoppedIds((known) => new Set([...known, last.id]));
    if (hasMemory) {
      const path = { id: agent.id, conversationId };
      void runApi.POST('/agents/{id}/chat/{conversationId}/stop', { params: { path } }).catch(() => undefined);
    }
    void chat.stop();
  };
  const respond = async ({ always, ...decision }: ApprovalDecision): Promise<void> => {
    if (always === undefined) return chat.addToolApprovalResponse(decision);
    const place = { conversationId, executionId: null };
    // Responses that wait for this one would be lost when the reply is read.
    for (const { id, ...response } of responsesOf(chat.messages.at(-1)))
      await sendResponse({ ...place, id }, response).catch(ignoreSettled);
    await sendResponse({ ...place, id: decision.id }, { approved: decision.approved, always });
    await chat.resumeStream();
    // The reply may have ended before it could be read.
    const { messages: stored } = await readChat({ agentId: agent.id, userId: setup.userId }, conversationId);
    chat.setMessages([...stored]);
  };
  return { ...chat, isBusy, subAgents, end, respond, stoppedIds };
}

/** A stream that is read again contains the whole reply. */
class LaneTransport extends DefaultChatTransport<UIMessage> {
  override readonly resumeStreamIsReplay = true;
}

function responsesOf(message: UIMessage | undefined): readonly ApprovalDecision[] {
  return (message?.parts ?? []).flatMap((part) => {
    if (!isToolUIPart(part) || part.state !== 'approval-responded') return [];
    const { approved, id, reason } = part.approval;
    return [{ id, approved, ...(reason !== undefined && { reason }) }];
  });
}

function ignoreSettled(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}
