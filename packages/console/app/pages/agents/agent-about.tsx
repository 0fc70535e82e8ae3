import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ErrorState } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { type AgentDefinition, type AgentSummary, definitionQuery, lastRunQuery } from './agents-query.ts';
import styles from './agents.module.css';

const origins = {
  none: 'none',
  text: 'a text in the code',
  messages: 'system messages in the code',
  function: 'a function of the code, for each run',
};

const busyPolicies = {
  queue: 'waits for the end of the reply',
  reject: 'is refused',
  interrupt: 'ends the reply',
};

/** Where the behaviour of an agent comes from. */
export function AgentAbout({ agent }: { readonly agent: AgentSummary }): ReactNode {
  const { durable, instructions, maxSteps, onBusy, resumable } = agent.settings;
  const { data: definition, error, refetch } = useQuery(definitionQuery(agent.id));
  return (
    <div className={styles.about}>
      <Facts
        facts={{
          Id: (
            <span className={styles.id}>
              <code>{agent.id}</code>
              <CopyButton text={agent.id} label="Copy the id" />
            </span>
          ),
          Model: <code>{agent.model}</code>,
          Steps: `${maxSteps} at most, then the reply ends`,
          'A question during a reply': busyPolicies[onBusy],
          'If a client disconnects': resumable || durable === true ? 'the reply continues' : 'the reply ends',
          'If a server stops': durable === true ? 'another server continues the reply' : 'the reply ends',
          Telemetry: agent.isTelemetryEnabled ? 'recorded' : 'off',
        }}
      />
      <Section title="Instructions" about={origins[instructions]}>
        {definition !== undefined ? (
          <Instructions agentId={agent.id} text={definition.instructions} />
        ) : (
          error !== null && <ErrorState error={error} onRetry={() => void refetch()} />
        )}
      </Section>
      <Section title="Model settings" about="when a request sets none">
        {definition !== undefined &&
          (definition.settings.every(({ value }) => value === null) ? (
            <p className={styles.soft}>The model gets the defaults of its provider.</p>
          ) : (
            <Facts facts={settingFacts(definition.settings)} />
          ))}
      </Section>
      <Section title="Memory">
        {agent.memory === null ? (
          <p className={styles.soft}>This agent has no memory: each request stands alone.</p>
        ) : (
          <JsonView label="Memory settings" value={agent.memory.config} />
        )}
      </Section>
    </div>
  );
}

function Instructions({ agentId, text }: { readonly agentId: string; readonly text: string | null }): ReactNode {
  if (text === null) return <LastRun agentId={agentId} />;
  if (text === '') return <p className={styles.soft}>The model gets the messages only.</p>;
  return (
    <figure className={styles.instructions}>
      <pre dir="auto">{text}</pre>
    </figure>
  );
}

/** Where a function writes the instructions: the text of a run contains what memory knows of its user. */
function LastRun({ agentId }: { readonly agentId: string }): ReactNode {
  const { data, isPending } = useQuery(lastRunQuery(agentId));
  if (isPending) return null;
  const run = data?.run;
  return (
    <p className={styles.soft}>
      {run === undefined ? (
        'They are shown in the traces of its runs. No run is recorded yet.'
      ) : (
        <>
          <Link to="/traces/$traceId" params={{ traceId: run.traceId }}>
            The last run
          </Link>{' '}
          shows what the model got <Ago time={run.startedAt} />.
        </>
      )}
    </p>
  );
}

const settingNames: Readonly<Record<string, string>> = {
  temperature: 'Temperature',
  maxOutputTokens: 'Output tokens',
  topP: 'Top P',
  topK: 'Top K',
  frequencyPenalty: 'Frequency penalty',
  presencePenalty: 'Presence penalty',
  seed: 'Seed',
  stopSequences: 'Stop sequences',
  reasoning: 'Reasoning',
};

const originNames = { agent: 'set by the agent', default: 'the default' };

function settingFacts(settings: AgentDefinition['settings']): Readonly<Record<string, ReactNode>> {
  return Object.fromEntries(
    settings.map(({ name, origin, value }) => [
      settingNames[name] ?? name,
      value === null ? (
        'left to the provider'
      ) : (
        <>
          <code>{JSON.stringify(value)}</code> <span className={styles.soft}>{originNames[origin]}</span>
        </>
      ),
    ]),
  );
}
