import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { UIMessage } from 'ai';
import type { ReactNode, Ref } from 'react';
import { ErrorState, Loading } from '../../ui/notice.tsx';
import { ChatLane } from './chat-lane.tsx';
import { messagesQuery } from './conversations-query.ts';
import type { LaneHandle, LaneSetup } from './lane.ts';
import { ObjectLane } from './object-lane.tsx';
import styles from './playground.module.css';

/** One agent with its head. Reads the conversation first, if it exists. */
export function LaneFrame({
  isNew,
  onAsk,
  onBusy,
  onEnd,
  recorded,
  ref,
  schema,
  setup,
}: {
  readonly ref: Ref<LaneHandle>;
  readonly setup: LaneSetup;
  /** Nothing is stored yet. */
  readonly isNew: boolean;
  readonly recorded: readonly UIMessage[] | undefined;
  /** Undefined: a chat. */
  readonly schema: object | undefined;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onEnd: () => void;
  /** Sends a question to all lanes. */
  readonly onAsk: (text: string) => void;
}): ReactNode {
  const { agent, conversationId, hasMemory, settings, userId } = setup;
  const isStored = hasMemory && !isNew;
  const { data, error, refetch } = useQuery(messagesQuery({ agentId: agent.id, userId }, conversationId, isStored));
  const changed = Object.keys(settings).length;
  const initial = recorded ?? (isStored ? data?.messages : []);
  return (
    <section className={styles.lane} aria-label={agent.name}>
      <header className={styles.laneHead}>
        <Link to="/agents/$agentId" params={{ agentId: agent.id }}>
          {agent.name}
        </Link>
        <code>{agent.model}</code>
        {changed > 0 && <span>{changed === 1 ? '1 setting' : `${changed} settings`} changed</span>}
        {schema === undefined && !hasMemory && <span>not remembered</span>}
      </header>
      {schema !== undefined ? (
        <ObjectLane ref={ref} setup={setup} schema={schema} onBusy={onBusy} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : initial === undefined ? (
        <Loading what="the conversation" />
      ) : (
        <ChatLane
          ref={ref}
          setup={setup}
          initial={initial}
          feedback={data?.feedback ?? {}}
          isStored={isStored && initial.length > 0}
          isRecorded={recorded !== undefined}
          onBusy={onBusy}
          onEnd={onEnd}
          onAsk={onAsk}
        />
      )}
    </section>
  );
}
