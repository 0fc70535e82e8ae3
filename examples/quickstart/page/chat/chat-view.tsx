import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  type FileUIPart,
  isToolUIPart,
  getToolName,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from 'ai';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { AgentSummary } from './agents.ts';
import { ApprovalBar, type PendingApproval } from './approval-bar.tsx';
import { readFiles } from './attachments.tsx';
import { type ChatMessage, textOf } from './chat-message.ts';
import { Composer } from './composer.tsx';
import { loadMessages, userId } from './conversations.ts';
import { EditMessage } from './edit-message.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorBanner } from './error-banner.tsx';
import { useFileDrop } from './file-drop.ts';
import { useFollowBottom } from './follow-bottom.ts';
import { DownIcon } from './icons.tsx';
import { AssistantMessage, filesOf, UserMessage } from './message.tsx';
import { isConnectionLost } from './readable-error.ts';
import { useSubAgents } from './use-sub-agents.ts';

interface ChatViewProps {
  readonly agent: AgentSummary;
  readonly conversationId: string;
  /** The stored messages of the conversation. */
  readonly stored: ChatMessage[];
  readonly onSend: (text: string) => void;
  readonly onAnswer: () => void;
}

/** The open conversation: its messages, pending approvals, and the field for the next message. */
export function ChatView({ agent, conversationId, onAnswer, onSend, stored }: ChatViewProps): ReactNode {
  const { onSubAgentEvent, subAgents } = useSubAgents(conversationId);
  const chat = useChat<ChatMessage>({
    id: conversationId,
    messages: stored,
    transport: useTransport(agent.id),
    // After a reload, or in another tab, continue to read an answer that is still being generated.
    resume: true,
    throttle: 50,
    onData: (part) => onSubAgentEvent(part.data),
    onFinish: ({ isError }) => {
      if (!isError) onAnswer();
    },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const { addToolApprovalResponse, clearError, error, messages, regenerate, sendMessage, status, stop } = chat;
  const isBusy = status === 'submitted' || status === 'streaming';
  const [files, setFiles] = useState<readonly FileUIPart[]>([]);
  const [problem, setProblem] = useState<string>();
  const [isEditing, setIsEditing] = useState(false);
  const { content, isAtBottom, scroller, scrollToBottom } = useFollowBottom(isBusy);

  const attach = (picked: readonly File[]): void => {
    readFiles(picked, files).then(
      (parts) => setFiles((known) => [...known, ...parts]),
      (reason: unknown) => setProblem(reason instanceof Error ? reason.message : String(reason)),
    );
  };
  const { isDragging, ...dropTarget } = useFileDrop(attach);
  const send = (text: string): void => {
    if (isBusy) return;
    onSend(text === '' ? (files[0]?.filename ?? 'File') : text);
    void sendMessage({ text, files: [...files] });
    setFiles([]);
    setProblem(undefined);
    scrollToBottom();
  };
  const stopAnswer = (): void => {
    // A resumable answer continues without readers, so it has to be stopped on the server.
    void fetch(`/agents/${agent.id}/chat/${conversationId}/stop`, { method: 'POST' });
    void stop();
  };
  useEscape(isBusy, stopAnswer);

  const last = messages.at(-1);
  const lastQuestion = messages.findLast(({ role }) => role === 'user');
  const edit = (text: string): void => {
    if (lastQuestion === undefined) return;
    setIsEditing(false);
    void sendMessage({ text, files: [...filesOf(lastQuestion)], messageId: lastQuestion.id });
  };
  /** Shows what the server has of an answer, which it continues without readers. A message that it does not have is sent again. */
  const reconnect = async (): Promise<void> => {
    const known = await loadMessages(agent.id, conversationId);
    const isSent = known.some(({ id }) => id === lastQuestion?.id);
    if (isSent) chat.setMessages(known);
    clearError();
    if (isSent) await chat.resumeStream();
    const newest = isSent ? await loadMessages(agent.id, conversationId) : [];
    // An answer that ended in the meantime has no stream. A server that was restarted may have lost it.
    if (newest.at(-1)?.role === 'assistant') chat.setMessages(newest);
    else await sendMessage();
  };
  const retry = (): void => {
    if (error !== undefined && isConnectionLost(error.message)) {
      // The error stays while the server is still away.
      reconnect().catch(() => {});
      return;
    }
    clearError();
    // A question or an answered approval is sent again; an incomplete answer is generated again.
    void (last?.role === 'user' || hasAnsweredApproval(last) ? sendMessage() : regenerate());
  };
  const approvals = isBusy ? [] : pendingApprovals(last);

  return (
    <div className="chat-view" {...dropTarget}>
      <div className="scroller" ref={scroller}>
        <div className="messages" ref={content} role="log" aria-live="off" aria-label="Messages">
          {messages.length === 0 && !isBusy && <EmptyState agent={agent} onTry={send} />}
          {messages.map((message) => {
            const isLive = isBusy && message === last;
            if (message.role === 'user') {
              const canEdit = message === lastQuestion && !isBusy;
              if (isEditing && canEdit) {
                const cancel = (): void => setIsEditing(false);
                return <EditMessage key={message.id} text={textOf(message)} onCancel={cancel} onSend={edit} />;
              }
              const startEditing = canEdit ? () => setIsEditing(true) : undefined;
              return <UserMessage key={message.id} message={message} onEdit={startEditing} />;
            }
            const canRepeat = message === last && !isBusy && error === undefined && approvals.length === 0;
            const again = canRepeat ? () => void regenerate() : undefined;
            return (
              <AssistantMessage
                key={message.id}
                message={message}
                agentId={agent.id}
                isLive={isLive}
                subAgents={subAgents}
                onRetry={again}
              />
            );
          })}
          {isBusy && !isShowing(last) && (
            <p className="thinking">
              <span className="sr-only">The agent is working</span>
              <i />
              <i />
              <i />
            </p>
          )}
        </div>
      </div>
      <div className="dock">
        {!isAtBottom && messages.length > 0 && (
          <button type="button" className="jump" onClick={scrollToBottom}>
            <DownIcon /> Jump to latest
          </button>
        )}
        {error !== undefined && <ErrorBanner message={error.message} onRetry={retry} onDismiss={clearError} />}
        {problem !== undefined && <ErrorBanner message={problem} onDismiss={() => setProblem(undefined)} />}
        {approvals.map((approval) => (
          <ApprovalBar
            key={approval.approvalId}
            approval={approval}
            onAnswer={(approved) => void addToolApprovalResponse({ id: approval.approvalId, approved })}
          />
        ))}
        <Composer
          isBusy={isBusy}
          files={files}
          onAttach={attach}
          onDetach={(file) => setFiles((known) => known.filter((other) => other !== file))}
          onSend={send}
          onStop={stopAnswer}
        />
        <ModelNotice model={agent.model} />
      </div>
      {isDragging && <div className="drop-hint">Drop files to attach them</div>}
      <p className="sr-only" role="status">
        {isBusy ? 'The agent is answering.' : last?.role === 'assistant' ? textOf(last) : ''}
      </p>
    </div>
  );
}

function ModelNotice({ model }: { readonly model: string }): ReactNode {
  if (model !== 'demo') return <p className="model-notice">Model: {model}. Answers can be wrong.</p>;
  return (
    <p className="model-notice">
      Demo model. Set <code>OPENAI_API_KEY</code> to use a real one.
    </p>
  );
}

/** Sends the newest message only: the server has the earlier ones. */
function useTransport(agentId: string): DefaultChatTransport<ChatMessage> {
  return useMemo(
    () =>
      new DefaultChatTransport<ChatMessage>({
        api: `/agents/${agentId}/chat`,
        prepareSendMessagesRequest: ({ id, messages, messageId, trigger }) => ({
          body: { id, messages: messages.slice(-1), messageId, trigger, options: { userId, resumable: true } },
        }),
      }),
    [agentId],
  );
}

function useEscape(isActive: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!isActive) return;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') onEscape();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}

function pendingApprovals(last: ChatMessage | undefined): readonly PendingApproval[] {
  return (last?.parts ?? []).flatMap((part) =>
    isToolUIPart(part) && part.state === 'approval-requested'
      ? [{ approvalId: part.approval.id, toolName: getToolName(part), input: part.input }]
      : [],
  );
}

function hasAnsweredApproval(message: ChatMessage | undefined): boolean {
  return message?.parts.some((part) => isToolUIPart(part) && part.state === 'approval-responded') === true;
}

/** Whether the answer has something to show already. */
function isShowing(message: ChatMessage | undefined): boolean {
  return message?.role === 'assistant' && message.parts.some(({ type }) => type !== 'step-start');
}
