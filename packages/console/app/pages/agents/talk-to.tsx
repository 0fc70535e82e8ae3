import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { type AgentSummary, agentsQuery } from './agents-query.ts';
import { useSuggestions } from './use-suggestions.ts';
import styles from './talk-to.module.css';

const shown = 3;

/** Agents to talk to, each with questions that one click sends: the shortest way to a first run. */
export function TalkTo(): ReactNode {
  const { data: agents = [] } = useQuery(agentsQuery);
  return (
    <ul className={styles.agents} aria-label="Agents">
      {agents.slice(0, shown).map((agent, index) => (
        <TalkToAgent key={agent.id} agent={agent} isFirst={index === 0} />
      ))}
    </ul>
  );
}

function TalkToAgent({ agent, isFirst }: { readonly agent: AgentSummary; readonly isFirst: boolean }): ReactNode {
  const { description, id, name } = agent;
  const search = { agentId: id };
  return (
    <li className={styles.agent}>
      <h3>{name}</h3>
      {description !== '' && <p dir="auto">{description}</p>}
      <ul className={styles.questions} aria-label={`Questions for ${name}`}>
        {useSuggestions(agent).map(({ needsApproval, text }) => (
          <li key={text}>
            <Link to="/playground" search={search} state={{ question: text }} className={styles.question} dir="auto">
              {text}
              {needsApproval && <Icon name="approvals" />}
              {needsApproval && <small>asks you first</small>}
            </Link>
          </li>
        ))}
      </ul>
      <LinkButton to="/playground" search={search} icon="play" {...(isFirst && { look: 'main' as const })}>
        Talk to {name}
      </LinkButton>
    </li>
  );
}
