import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, readData } from '../../api/client.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Section } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { type AgentSummary, lastRunQuery } from './agents-query.ts';
import styles from './agents.module.css';

const origins = {
  none: 'none',
  text: 'a text in the code',
  messages: 'system messages in the code',
  function: 'a function of the code, for each run',
};

const busyPolicies = {
  queue: 'a new question waits for the answer before it',
  reject: 'a new question during an answer is refused',
  interrupt: 'a new question ends the answer before it',
};

/** Where the behaviour of an agent comes from. */
export function AgentAbout({ agent }: { readonly agent: AgentSummary }): ReactNode {
  const { durable, generation, instructions, maxSteps, onBusy, resumable } = agent.settings;
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
          Steps: `at most ${maxSteps}`,
          'Busy conversations': busyPolicies[onBusy],
          'Lost clients': resumable || durable === true ? 'the answer continues' : 'the answer ends',
          'Lost servers': durable === true ? 'another one continues the answer' : undefined,
          Telemetry: agent.isTelemetryEnabled ? 'recorded' : 'off',
        }}
      />
      <Section title="Instructions" about={origins[instructions]}>
        <Instructions agentId={agent.id} />
      </Section>
      <Section title="Model settings" about="when a request sets none">
        {Object.keys(generation).length === 0 ? (
          <p className={styles.soft}>The model gets the defaults of its provider.</p>
        ) : (
          <Facts facts={settingFacts(generation)} />
        )}
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

/** The API does not contain instructions. What a run was given is in its trace. */
function Instructions({ agentId }: { readonly agentId: string }): ReactNode {
  const last = useQuery(lastRunQuery(agentId));
  const run = last.data?.run;
  const text = useQuery({
    queryKey: ['agents', 'instructions', run?.traceId, agentId],
    enabled: run !== undefined,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const params = { path: { traceId: run?.traceId ?? '' }, query: { limit: 200 } };
      const { spans } = await readData(api.GET('/observability/traces/{traceId}', { params, signal }));
      const sent = spans.find(
        ({ attributes }) => attributes['gen_ai.agent.id'] === agentId && 'gen_ai.system_instructions' in attributes,
      );
      return instructionText(sent?.attributes['gen_ai.system_instructions']);
    },
  });
  if (last.isPending || (run !== undefined && text.isPending))
    return <p className={styles.soft}>Reading the last run …</p>;
  if (run === undefined || text.data === undefined || text.data === null) {
    return (
      <p className={styles.soft}>
        {run === undefined
          ? 'No run is recorded. After the first one, what the model was given stands here.'
          : 'The last run recorded none.'}
      </p>
    );
  }
  return (
    <figure className={styles.instructions}>
      <pre>{text.data}</pre>
      <figcaption>
        As the model got them <Ago time={run.startedAt} />, with what memory and the request added.{' '}
        <Link to="/traces/$traceId" params={{ traceId: run.traceId }}>
          Trace
        </Link>
      </figcaption>
    </figure>
  );
}

function instructionText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  try {
    const parts = JSON.parse(value) as readonly { readonly content?: unknown }[];
    return parts.map(({ content }) => String(content)).join('\n\n');
  } catch {
    return value;
  }
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

function settingFacts(generation: Readonly<Record<string, unknown>>): Readonly<Record<string, ReactNode>> {
  return Object.fromEntries(
    Object.entries(generation).map(([name, value]) => [
      settingNames[name] ?? name,
      value === null ? <span className={styles.soft}>the provider’s</span> : <code>{JSON.stringify(value)}</code>,
    ]),
  );
}
