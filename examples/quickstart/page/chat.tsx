import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
import { type ReactNode, type SubmitEvent, StrictMode, useEffect, useMemo, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  type Conversation,
  currentConversation,
  enterConversation,
  listConversations,
  loadMessages,
  userId,
} from './conversations.ts';

interface AgentSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly model: string;
}

const suggestions = [
  'What time is it in Tokyo?',
  'Convert 26.2 miles to kilometres',
  'Note: buy oars',
  'Delete all notes',
];

function Page(): ReactNode {
  const [agents, setAgents] = useState<readonly AgentSummary[]>([]);
  const [agentId, setAgentId] = useState('assistant');
  useEffect(() => {
    void fetch('/agents')
      .then((response) => response.json())
      .then(({ data }: { data: readonly AgentSummary[] }) => setAgents(data));
  }, []);
  const agent = agents.find(({ id }) => id === agentId);

  return (
    <main>
      <header>
        <h1>Halyard</h1>
        <label>
          Agent{' '}
          <select id="agent" value={agentId} onChange={(event) => setAgentId(event.target.value)}>
            {agents.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </header>
      <Conversations key={agentId} agentId={agentId} about={agent?.description ?? ''} />
    </main>
  );
}

/** The list of conversations with one agent, and the open one. */
function Conversations({ agentId, about }: { readonly agentId: string; readonly about: string }): ReactNode {
  const [conversations, setConversations] = useState<readonly Conversation[]>([]);
  const [openId, setOpenId] = useState(() => currentConversation(agentId));
  const [stored, setStored] = useState<{ readonly id: string; readonly messages: UIMessage[] }>();
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    let isCurrent = true;
    const load = async (): Promise<void> => {
      const found = await listConversations(agentId);
      const messages = found.some(({ id }) => id === openId) ? await loadMessages(agentId, openId) : [];
      if (!isCurrent) return;
      setConversations(found);
      setStored({ id: openId, messages });
    };
    load().catch((error: unknown) => setProblem(String(error)));
    return () => {
      isCurrent = false;
    };
  }, [agentId, openId]);
  const refresh = (): void => {
    listConversations(agentId).then(setConversations, (error: unknown) => setProblem(String(error)));
  };
  const open = (conversationId: string): void => setOpenId(enterConversation(agentId, conversationId));
  const isStored = conversations.some(({ id }) => id === openId);

  return (
    <>
      <nav>
        <select
          id="conversation"
          aria-label="Conversation"
          value={openId}
          onChange={(event) => open(event.target.value)}
        >
          {!isStored && <option value={openId}>New conversation</option>}
          {conversations.map(({ id, title, createdAt }) => (
            <option key={id} value={id}>
              {title === '' ? new Date(createdAt).toLocaleString() : title}
            </option>
          ))}
        </select>
        <button id="new" type="button" disabled={!isStored} onClick={() => open(crypto.randomUUID())}>
          New
        </button>
      </nav>
      {problem !== undefined && (
        <p className="error" role="alert">
          {problem}
        </p>
      )}
      {stored?.id === openId && (
        <Chat
          key={openId}
          agentId={agentId}
          about={about}
          conversationId={openId}
          stored={stored.messages}
          onAnswer={refresh}
        />
      )}
    </>
  );
}

interface ChatProps {
  readonly agentId: string;
  readonly about: string;
  readonly conversationId: string;
  /** The stored messages of the conversation. */
  readonly stored: UIMessage[];
  readonly onAnswer: () => void;
}

function Chat({ about, agentId, conversationId, onAnswer, stored }: ChatProps): ReactNode {
  const [draft, setDraft] = useState('');
  const end = useRef<HTMLDivElement>(null);
  const transport = useMemo(
    () => new DefaultChatTransport({ api: `/agents/${agentId}/chat`, body: { options: { userId, resumable: true } } }),
    [agentId],
  );
  const { messages, sendMessage, status, stop, error, addToolApprovalResponse } = useChat({
    id: conversationId,
    messages: stored,
    transport,
    // After a reload, or in another tab, continue to read an answer that is still being generated.
    resume: true,
    onFinish: onAnswer,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const stopAnswer = (): void => {
    // A resumable answer continues without readers, so it has to be stopped on the server.
    void fetch(`/agents/${agentId}/chat/${conversationId}/stop`, { method: 'POST' });
    void stop();
  };
  const busy = status === 'submitted' || status === 'streaming';
  useEffect(() => {
    // The result is not returned: in newer browsers it is a promise, which React would treat as a clean-up function.
    end.current?.scrollIntoView({ block: 'end' });
  }, [messages]);

  const send = (text: string): void => {
    if (text.trim() === '' || busy) return;
    setDraft('');
    void sendMessage({ text });
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    send(draft);
  };

  return (
    <>
      <section className="messages" aria-live="polite">
        {messages.length === 0 && (
          <div className="empty">
            <p>{about}</p>
            <div className="tries">
              {suggestions.map((text) => (
                <button key={text} type="button" onClick={() => send(text)}>
                  {text}
                </button>
              ))}
            </div>
          </div>
        )}
        {messages.map((message) => (
          <article key={message.id} className={`message ${message.role}`}>
            {message.parts.map((part, index) => (
              <Part key={index} part={part} answer={(id, approved) => void addToolApprovalResponse({ id, approved })} />
            ))}
          </article>
        ))}
        {status === 'submitted' && <p className="empty">…</p>}
        {error !== undefined && (
          <p className="error" role="alert">
            {error.message}
          </p>
        )}
        <div ref={end} />
      </section>
      <form onSubmit={onSubmit}>
        <input
          id="draft"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          placeholder="Ask something"
          autoComplete="off"
          autoFocus
        />
        {busy ? (
          <button id="stop" type="button" onClick={stopAnswer}>
            Stop
          </button>
        ) : (
          <button id="send" className="primary" type="submit">
            Send
          </button>
        )}
      </form>
    </>
  );
}

function Part({
  part,
  answer,
}: {
  readonly part: UIMessage['parts'][number];
  readonly answer: (id: string, approved: boolean) => void;
}): ReactNode {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'reasoning') return <p className="empty">{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  return (
    <div className="tool" data-state={part.state}>
      <b>{getToolName(part)}</b> {describe(part.state)}
      <pre>{JSON.stringify(part.input)}</pre>
      {part.state === 'output-available' && (
        <pre>→ {typeof part.output === 'string' ? part.output : JSON.stringify(part.output)}</pre>
      )}
      {part.state === 'output-error' && <pre className="error">→ {part.errorText}</pre>}
      {part.state === 'approval-requested' && (
        <div className="choice">
          <button type="button" className="primary" onClick={() => answer(part.approval.id, true)}>
            Approve
          </button>
          <button type="button" onClick={() => answer(part.approval.id, false)}>
            Deny
          </button>
        </div>
      )}
    </div>
  );
}

function describe(state: string): string {
  switch (state) {
    case 'input-streaming':
      return 'is being called';
    case 'input-available':
      return 'is running';
    case 'approval-requested':
      return 'needs your approval';
    case 'approval-responded':
      return 'received your answer';
    case 'output-denied':
      return 'was denied';
    case 'output-error':
      return 'failed';
    default:
      return 'has finished';
  }
}

const root = document.querySelector('#chat');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
