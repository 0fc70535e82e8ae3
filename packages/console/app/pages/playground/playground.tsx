import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { type FileUIPart, generateId } from 'ai';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useCredential } from '../../access/credential.ts';
import { RunAccess } from '../../access/run-access.tsx';
import { useRunToken } from '../../access/run-credential.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { useIsNarrow, useMatches } from '../../ui/use-is-narrow.ts';
import type { AgentSummary } from '../agents/agents-query.ts';
import { Composer } from './composer.tsx';
import { ConversationSide } from './conversation-side.tsx';
import { EventLog } from './event-log.ts';
import { Inspector } from './inspector.tsx';
import { LaneFrame } from './lane-frame.tsx';
import type { LaneHandle, LaneSetup } from './lane.ts';
import { PlaygroundBar } from './playground-bar.tsx';
import { type PlaygroundSearch, playgroundSearch } from './playground-search.ts';
import { RecordedNotice } from './recorded-notice.tsx';
import { exampleSchema } from './schema-panel.tsx';
import type { FoundCall } from './use-recorded-call.ts';
import styles from './playground.module.css';

const route = getRouteApi('/playground');
/** For whom the playground runs agents if nobody is chosen. */
const defaultUser = 'console';

/**
 * One or two lanes, the field for what they are asked, and beside them settings, events and code.
 */
export function Playground({
  agent,
  agents,
  call,
}: {
  readonly agent: AgentSummary;
  readonly agents: readonly AgentSummary[];
  readonly call: FoundCall | undefined;
}): ReactNode {
  // The router keeps values that the route has refused.
  const search = playgroundSearch(route.useSearch());
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const token = useRunToken();
  const credential = useCredential();
  const hasToken = token !== undefined || credential?.kind === 'token';
  const [newId, setNewId] = useState(generateId);
  const [logs] = useState(() => [new EventLog(), new EventLog()] as const);
  const [busy, setBusy] = useState<readonly [boolean, boolean]>([false, false]);
  const [draft, setDraft] = useState('');
  const isNarrow = useIsNarrow();
  const isCompact = useMatches('(max-width: 80rem)');
  const lanes = [useRef<LaneHandle>(null), useRef<LaneHandle>(null)] as const;

  const change = (changed: Partial<PlaygroundSearch>): void => {
    const next = Object.entries({ ...search, ...changed }).filter(([, value]) => value !== undefined);
    // Another user begins another conversation.
    if ('userId' in changed) setNewId(generateId());
    void navigate({ search: Object.fromEntries(next), replace: true });
  };
  const isObject = search.mode === 'object';
  const beside = agents.find(({ id }) => id === search.beside);
  const conversationId = search.conversationId ?? newId;
  const userId = hasToken ? undefined : (search.userId ?? defaultUser);
  const setupOf = (of: AgentSummary, side: 0 | 1): LaneSetup => ({
    agent: of,
    settings: (side === 0 ? search.settings : search.besideSettings) ?? (side === 0 ? (call?.settings ?? {}) : {}),
    conversationId: side === 0 ? conversationId : `${conversationId}.beside`,
    userId,
    hasMemory: of.memory !== null && call === undefined && !isObject && search.memory !== 'off',
    log: logs[side],
  });
  const setups = [setupOf(agent, 0), ...(beside === undefined ? [] : [setupOf(beside, 1)])];
  const schema = isObject ? (search.schema ?? exampleSchema) : undefined;

  const onBusyLeft = useCallback((isBusy: boolean) => setBusy(([, right]) => [isBusy, right]), []);
  const onBusyRight = useCallback((isBusy: boolean) => setBusy(([left]) => [left, isBusy]), []);
  const onEnd = useCallback(
    () => void client.invalidateQueries({ queryKey: ['playground', 'conversations'] }),
    [client],
  );
  const send = (text: string, files: readonly FileUIPart[]): void => {
    // From now on, the address names the conversation, so that a reload continues it.
    if (setups[0]?.hasMemory === true && search.conversationId === undefined) change({ conversationId: newId });
    for (const lane of lanes) lane.current?.send(text, files);
  };
  // A suggestion on another page.
  const question = useLocation({ select: ({ state }) => state.question });
  const asked = useRef<string>(undefined);
  useEffect(() => {
    if (question === undefined || asked.current === question) return;
    asked.current = question;
    // A reload does not ask again.
    change({});
    send(question, []);
  });
  const stop = (): void => {
    for (const lane of lanes) lane.current?.stop();
  };
  const startNew = (): void => {
    setNewId(generateId());
    for (const log of logs) log.clear();
    change({ conversationId: undefined, span: undefined });
  };
  const conversations = setups[0]?.hasMemory === true && (
    <ConversationSide
      owner={{ agentId: agent.id, userId }}
      currentId={search.conversationId}
      isBusy={busy.includes(true)}
      onOpen={(id) => change({ conversationId: id })}
      onGone={startNew}
    />
  );
  return (
    <Page
      title="Playground"
      isFilled
      actions={
        <>
          {isCompact && conversations !== false && (
            <Menu key={conversationId} label="Conversations">
              <div className={styles.menu}>{conversations}</div>
            </Menu>
          )}
          <Button icon="conversations" disabled={busy.includes(true)} onClick={startNew} aria-label="New conversation">
            {isNarrow ? 'New' : 'New conversation'}
          </Button>
        </>
      }
      bar={
        <PlaygroundBar
          agent={agent}
          agents={agents}
          beside={beside}
          search={search}
          userId={userId}
          onChange={change}
        />
      }
    >
      <RunAccess />
      <div className={classes(styles.playground, !isCompact && conversations !== false && styles.wide)}>
        {!isCompact && conversations !== false && <aside className={styles.side}>{conversations}</aside>}
        <div className={styles.main}>
          {call && <RecordedNotice call={call} agent={agent} />}
          <div className={classes(styles.lanes, beside && styles.two)}>
            {setups.map((setup, side) => (
              <LaneFrame
                key={`${side} ${setup.agent.id} ${setup.conversationId} ${setup.hasMemory} ${search.mode}`}
                ref={lanes[side === 0 ? 0 : 1]}
                setup={setup}
                isNew={conversationId === newId}
                recorded={call?.messages}
                schema={schema}
                onBusy={side === 0 ? onBusyLeft : onBusyRight}
                onEnd={onEnd}
                onAsk={(text) => send(text, [])}
              />
            ))}
          </div>
          <Composer
            draft={draft}
            onDraft={setDraft}
            isBusy={busy.includes(true)}
            onSend={send}
            onStop={stop}
            takesFiles={!isObject}
            placeholder={isObject ? 'What the object is to be made from' : beside ? 'Ask both' : `Ask ${agent.name}`}
          />
        </div>
        <Inspector setups={setups} schema={schema} draft={draft} search={search} onChange={change} />
      </div>
    </Page>
  );
}
